/** Command lines in a thread that keeps the command loaded: starting Node takes half a second. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { MessageChannel, receiveMessageOnPort, Worker } from 'node:worker_threads';
import type { ProcessResult } from './built-package.js';

/** Milliseconds that a command may take. */
const maxMs = 120_000;

export class CommandThread {
  readonly #worker: Worker;
  readonly #port;
  readonly #answered = new Int32Array(new SharedArrayBuffer(4));

  /** `module` exports `run` of src/cli/run.ts. */
  constructor(module: string) {
    const { port1, port2 } = new MessageChannel();
    this.#port = port1;
    const workerData = {
      module: pathToFileURL(module).href,
      port: port2,
      answered: this.#answered,
    };
    this.#worker = new Worker(join(__dirname, 'command-program.mjs'), {
      workerData,
      transferList: [port2],
      env: {},
    });
    this.#worker.unref();
    this.#port.unref();
  }

  /** Runs a command line in a folder, and waits for its end. */
  run(args: readonly string[], folder: string, env: Readonly<NodeJS.ProcessEnv>): ProcessResult {
    Atomics.store(this.#answered, 0, 0);
    this.#port.postMessage({ args, folder, env });
    Atomics.wait(this.#answered, 0, 0, maxMs);
    const answer = receiveMessageOnPort(this.#port);
    if (answer === undefined) throw new Error(`rowsmith ${args.join(' ')} did not end`);
    const { status, output } = answer.message as ProcessResult;
    return { status, output };
  }

  async end(): Promise<void> {
    await this.#worker.terminate();
    this.#port.close();
  }
}
