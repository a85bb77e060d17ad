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
    "profile_measures",
    "profile_records",
    "profile_held",
    "window",
    "window_state",
    "window_records",
    "window_accounts",
    "audit",
    "audit_records",
    "audit_shares",
    "audit_single",
    "counterfactual",
    "counterfactual_judged",
    "counterfactual_joint",
    "hotspot",
    "hotspot_blocks",
    "hotspot_state",
    "hotspot_course",
    "hotspot_entities",
    "hotspot_held",
)
"""Every module that registers operators, in the order in which they are listed."""
