"""The studio: the lab in a browser, on this machine alone.

serve      starts the server, and prints and opens its address
app        the application, from small routers; errors: one JSON object for every error
safety     who may ask: token, Host, Origin, sizes; places: which folders may be read
jobs       long work in processes of their own; work: what such a process does
routes/    a file for each page; a route checks what it is given, calls a bench, and returns its record
static/    the page itself, served as it is: a module for each page, and components that pages share

`al.studio(…)` opens it: this folder has the name of that verb.
"""

from attnlab import callable_packages

callable_packages.is_a_verb(__name__)
