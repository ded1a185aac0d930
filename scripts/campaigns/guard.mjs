/**
 * Runs Node with the arguments, and ends it when standard input ends: when the runner was killed,
 * nothing it has started may go on.
 */
import { spawn } from 'node:child_process';

const child = spawn(process.execPath, process.argv.slice(2), {
  stdio: ['ignore', 'inherit', 'inherit'],
});
child.on('close', (code) => process.exit(code ?? 1));
// The request to end reaches the child as well, which may need a moment.
process.on('SIGTERM', () => undefined);
// The runner starts this process as the leader of a group.
process.stdin.on('end', () => process.kill(-process.pid, 'SIGKILL')).resume();
