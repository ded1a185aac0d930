/**
 * The program of CommandThread: runs command lines with the code of a built package, one after the
 * other, and answers with their exit codes and output.
 */
import { workerData } from 'node:worker_threads';

const { module, port, answered } = workerData;

/** Keeps what is written to a standard stream. */
function captured(stream) {
  const chunks = [];
  stream.write = (chunk, encoding, done) => {
    chunks.push(Buffer.from(chunk));
    const called = typeof encoding === 'function' ? encoding : done;
    if (called !== undefined) queueMicrotask(() => called());
    return true;
  };
  return chunks;
}

/** Gives this thread the environment and the folder of a process. */
function become(folder, env) {
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
  process.cwd = () => folder;
}

port.on('message', async ({ args, folder, env }) => {
  const { stdout: out, stderr: err } = process;
  const chunks = [captured(out), captured(err)];
  become(folder, env);
  let status = 1;
  try {
    const { run } = await import(module);
    status = await run(args, { out, err, env: process.env, folder });
  } catch (error) {
    err.write(String(error.stack));
  }
  port.postMessage({ status, output: Buffer.concat(chunks.flat()).toString() });
  Atomics.store(answered, 0, 1);
  Atomics.notify(answered, 0);
});
