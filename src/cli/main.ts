#!/usr/bin/env node
/** The `rowsmith` command. */
import { run } from './run.js';
import { endsWithReader } from './terminal/closed-output.js';

// A reader such as head closes the pipe early; that is not an error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  if (endsWithReader()) process.exit(process.exitCode ?? 0);
});

async function main(args: readonly string[]): Promise<void> {
  // Requests of completion scripts, which are not commands.
  if (args[0]?.startsWith('__') === true) {
    const { answerRequest } = await import('./completion/answer.js');
    // A config that the request has loaded may keep the process alive.
    if (await answerRequest(args)) process.exit();
  }
  process.exitCode = await run(args, {
    out: process.stdout,
    err: process.stderr,
    env: process.env,
    folder: process.cwd(),
  });
}

void main(process.argv.slice(2));
