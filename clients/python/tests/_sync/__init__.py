# Made by `npm run docs:make` from _async/__init__.py; do not edit.
