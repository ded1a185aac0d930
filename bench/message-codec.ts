/**
 * `npm run bench -- bench/message-codec.ts`: the six-field message, read and written by Rowsmith, by protobufjs's generated static code, and by hand.
 * protobufjs gives int64 as Long; it is left so.
 */
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildModel } from '../src/model/build.js';
import { DataSet } from './data-set.js';
import { HandReader, handValue } from './hand-codec.js';
import { interleave } from './interleave.js';
import { Reading, type Status } from './reading.js';
import { benchOptions, Results } from './results.js';

const proto = `syntax = "proto3";
package bench;
message Status {
  optional string note = 1;
  optional string state = 2;
  optional int64 uptimeUs = 3;
  optional double temperature = 4;
  optional double humidity = 5;
  optional uint32 battery = 6;
}
`;

/** What pbjs makes of the message. */
interface StaticClass {
  create(values: object): object;
  encode(message: object): { finish(): Uint8Array };
  decode(bytes: Uint8Array): { battery: number };
}

const options = benchOptions(process.argv.slice(2));
const results = new Results(options);
const statuses = new DataSet(1000).slice(0, 1000).map((row) => row.status!);
const values = statuses.map(handValue);
const codec = buildModel(Reading).columns[0].codec;
const theirs = await staticClass();
const messages = statuses.map((status) => theirs.create(Object.assign({}, status, { uptimeUs: Number(status.uptimeUs) })));
const reader = new HandReader();
let sum = 0;

values.forEach((value, i) => {
  if (!value.equals(codec.encode(statuses[i])) || !value.equals(theirs.encode(messages[i]).finish())) throw new Error(`The encoders differ on message ${i}.`);
});
const timings = await interleave([
  { name: 'decode.hand', run: () => repeat((i) => { sum += reader.status(values[i]).battery!; }) },
  { name: 'decode.rowsmith', run: () => repeat((i) => { sum += (codec.decode(values[i], 0, values[i].length) as Status).battery!; }) },
  { name: 'decode.protobufjs', run: () => repeat((i) => { sum += theirs.decode(values[i]).battery; }) },
  { name: 'encode.hand', run: () => repeat((i) => { sum += handValue(statuses[i]).length; }) },
  { name: 'encode.rowsmith', run: () => repeat((i) => { sum += codec.encode(statuses[i]).length; }) },
  { name: 'encode.protobufjs', run: () => repeat((i) => { sum += theirs.encode(messages[i]).finish().length; }) },
], 25, 5);
if (!(sum > 0)) throw new Error('Nothing was read.');
for (const what of ['decode', 'encode']) {
  const hand = timings.get(`${what}.hand`)!;
  results.addTiming(`message.${what}.hand`, hand, 'us');
  for (const who of ['rowsmith', 'protobufjs']) results.addTiming(`message.${what}.${who}`, timings.get(`${what}.${who}`)!, 'us', { with: hand, of: 'hand' });
}
results.finish({ bytes: Math.round(values.reduce((total, value) => total + value.length, 0) / values.length) });
// protobufjs-cli leaves handles behind.
process.exit(0);

function repeat(work: (i: number) => void): number {
  for (let pass = 0; pass < 50; pass++) for (let i = 0; i < 1000; i++) work(i);
  return 50_000;
}

/** The class pbjs generates, in a file beside this one's compiled form. */
async function staticClass(): Promise<StaticClass> {
  const here = dirname(fileURLToPath(import.meta.url));
  const require = createRequire(import.meta.url);
  writeFileSync(join(here, 'status.proto'), proto);
  const pbjs = require('protobufjs-cli/pbjs.js') as { main(args: readonly string[], done: (error: Error | null, source?: string) => void): void };
  const source = await new Promise<string>((resolve, reject) => {
    pbjs.main(['--target', 'static-module', '--wrap', 'commonjs', '--keep-case', join(here, 'status.proto')], (error, text) => (error === null ? resolve(text!) : reject(error)));
  });
  writeFileSync(join(here, 'status.cjs'), source);
  return (require('./status.cjs') as { bench: { Status: StaticClass } }).bench.Status;
}
