"""The operators, one or more modules per family; a new one is one function.

A new module is listed here, and nowhere else.
"""

MODULES = (
    "ranking",
    "ranking_groups",
    "ranking_windows",
    "ranking_reductions",
    "ranking_presence",
    "ranking_state",
    "ranking_attributes",
    "comparison",
    "comparison_records",
    "comparison_pairs",
    "comparison_courses",
    "comparison_totals",
    "comparison_groups",
    "profile",
    "profile_state",
    "window",
    "window_state",
    "audit",
    "audit_records",
    "counterfactual",
    "counterfactual_judged",
    "hotspot",
    "hotspot_blocks",
    "hotspot_state",
)
"""Every module that registers operators, in the order in which they are listed."""
