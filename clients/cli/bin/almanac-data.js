#!/usr/bin/env node
// Separate from the compiled code, so that an install can link the command before the build.
import '../dist/main.js';
