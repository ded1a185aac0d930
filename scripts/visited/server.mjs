/** Our server in memory, in a process whose functions are not counted. */
import { spawn } from 'node:child_process';

/**
 * @param {string} command The compiled module of the `rowsmith` command.
 * @returns {Promise<{ address: string, stop: () => void }>}
 */
export function startServer(command) {
  const args = [command, 'serve', '--memory', '--port', '0'];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const stop = () => void child.kill();
  process.once('exit', stop);
  return new Promise((resolve, reject) => {
    let output = '';
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`the server ended with ${code}: ${output}`)));
    child.stdout.on('data', (bytes) => {
      output += bytes;
      const [, address] = / at (\S+)\. For clients/.exec(output) ?? [];
      if (address !== undefined) resolve({ address, stop });
    });
  });
}
