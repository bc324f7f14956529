"""Runs all cells of a notebook in order: run_notebook.py NOTEBOOK RESULT. Ends with 1 and the error if a cell fails."""

import sys

import nbclient
import nbformat

CELL_S = 120

source, result = sys.argv[1:]
notebook = nbformat.read(source, as_version=4)
try:
    nbclient.NotebookClient(notebook, timeout=CELL_S, kernel_name="python3").execute()
except nbclient.exceptions.CellExecutionError as error:
    sys.exit(str(error))
finally:
    nbformat.write(notebook, result)
