#!/usr/bin/env node
/** The `rowsmith` command. */
import { run } from './run.js';

// A reader such as head closes the pipe early; that is not an error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(process.exitCode ?? 0);
});

void run(process.argv.slice(2), {
  out: process.stdout,
  err: process.stderr,
  env: process.env,
  folder: process.cwd(),
}).then((code) => {
  process.exitCode = code;
});
