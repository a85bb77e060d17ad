"""The web app in which people annotate books: a page, a JSON API and who may come in.

`serve` runs it; `site` is the application, and needs Starlette. All that it reads and writes goes
through a `supersede.novels.desk.Desk` of the person who is signed in.
"""
