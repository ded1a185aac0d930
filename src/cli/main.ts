#!/usr/bin/env node
/** The `rowsmith` command. */
import { run } from './run.js';

void run(process.argv.slice(2)).then((code) => {
  process.exitCode = code;
});
