/** A program that deletes the tenant acme until it is killed, and prints a line at each step. */
import { open } from '../../../../src/index.js';
import { entities } from './leaving-entities.js';

async function main([url]: readonly string[]): Promise<void> {
  const db = await open(url, { entities });
  const print = (line: string): void => void process.stdout.write(`${line}\n`);
  print('begun');
  await db.scope({ tenant: 'acme' }).deleteAll({ onProgress: () => print('step') });
  print('end');
  // Also after its end it is killed, not closed.
  setInterval(() => undefined, 1000);
}

void main(process.argv.slice(2));
