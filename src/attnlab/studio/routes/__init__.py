"""The routes: a file for each page of the studio, and those that pages share, jobs and the library of charts."""
