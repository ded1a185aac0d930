/**
 * `npm run bench -- bench/message-codec.ts`: messages of six and of forty fields, read and written
 * by Rowsmith's generated codecs (`rowsmith generate`), by what it compiles at run time (into
 * source; into closures where code from strings is forbidden), by protobufjs's static code, by
 * bufbuild, and the small one by hand; then rows of the small one from the engine in memory to
 * entities. Every codec writes the same bytes, or the bench ends.
 */
import { everyKey } from '../src/bytes/index.js';
import { messageCodec as codecOf, type CellCodec, type MessageShape } from '../src/cell/index.js';
import { messageCodec } from '../src/cell/message/message-codec.js';
import { openMemoryEngine } from '../src/engines/local/index.js';
import { defineEntity, packed, rowKey } from '../src/index.js';
import { compileDehydrator, compileHydrator, type Hydrator } from '../src/mapping/index.js';
import { buildModels, messagesOf, type EntityModel } from '../src/model/index.js';
import type { Engine } from '../src/store/engine.js';
import { DataSet } from './data-set.js';
import { HandReader, handValue } from './hand-codec.js';
import { interleave, type Timing, type Variant } from './interleave.js';
import { type Peer, peersOf } from './message-peers.js';
import { Reading, type Status } from './reading.js';
import { benchOptions, Results } from './results.js';
import { Wide, wideMessage } from './wide-message.js';

/** Messages that are measured, in turns. */
const count = 1000;

const options = benchOptions(process.argv.slice(2));
const results = new Results(options);
class WideRow {
  id = '';
  wide?: Wide;
}
const wideRows = defineEntity(WideRow, {
  table: 'wide',
  families: { s: {} },
  key: rowKey('id'),
  segments: { id: { kind: 'string' } },
  columns: { wide: packed('s', () => Wide) },
});
const models = buildModels([Reading, wideRows]);
const [small, wide] = models.map((model) => model.columns[0].message!);
const shapes = models.flatMap((model) => messagesOf(model));
const peers = await peersOf(shapes, [small, wide]);
const readings = new DataSet(count).slice(0, count);
/** What was read and written adds up here, so that nothing can be left out. */
let sum = 0;

const statuses = readings.map((row) => row.status!);
const reader = new HandReader();
const smallBytes = await compare('6', small, statuses, 5, (values) => [
  {
    name: 'decode.hand',
    run: () =>
      repeat(5, (i) => {
        sum += reader.status(values[i] as Buffer).battery!;
      }),
  },
  {
    name: 'encode.hand',
    run: () =>
      repeat(5, (i) => {
        sum += handValue(statuses[i]).length;
      }),
  },
]);
const wideBytes = await compare(
  '40',
  wide,
  Array.from({ length: count }, (_, i) => wideMessage(i)),
  1,
  () => [],
);
await hydrations(models[0]);
if (!(sum > 0)) throw new Error('Nothing was read.');
const met = results.finish({ 'bytes-6': smallBytes, 'bytes-40': wideBytes });
// protobufjs-cli leaves handles behind.
process.exit(met ? 0 : 2);

function repeat(passes: number, work: (i: number) => void): number {
  for (let pass = 0; pass < passes; pass++) for (let i = 0; i < count; i++) work(i);
  return passes * count;
}

/** Measures every codec on the messages; their mean size in bytes. */
async function compare(
  name: string,
  shape: MessageShape,
  messages: readonly object[],
  passes: number,
  more: (values: readonly Uint8Array[]) => readonly Variant[],
): Promise<number> {
  const all = peers.get(shape)!;
  // Buffers, as an engine has them.
  const values = messages.map((message) => Buffer.from(codecOf(shape).encode(message)));
  const forms = all.map((peer) => messages.map((message) => peer.own(message)));
  all.forEach((peer, k) => checkPeer(peer, forms[k], values));
  const variants = all.flatMap((peer, k): Variant[] => [
    {
      name: `decode.${peer.name}`,
      run: () =>
        repeat(passes, (i) => {
          sum += peer.decode(values[i]) === undefined ? 0 : 1;
        }),
    },
    {
      name: `encode.${peer.name}`,
      run: () =>
        repeat(passes, (i) => {
          sum += peer.encode(forms[k][i]).length;
        }),
    },
  ]);
  // Short turns, many of them: on a busy machine the median then is one that nothing interrupted.
  const timings = await interleave([...more(values), ...variants], 201, 40);
  for (const what of ['decode', 'encode']) report(`${name}.${what}`, what, timings);
  return Math.round(values.reduce((total, value) => total + value.length, 0) / values.length);
}

function checkPeer(peer: Peer, messages: readonly object[], values: readonly Buffer[]): void {
  const differs = messages.findIndex((message, i) => !values[i].equals(peer.encode(message)));
  if (differs >= 0) throw new Error(`${peer.name} writes other bytes of message ${differs}`);
  values.forEach((value) => peer.decode(value));
}

function report(name: string, what: string, timings: ReadonlyMap<string, Timing>): void {
  const theirs = timings.get(`${what}.protobufjs`)!;
  const reflective = timings.get(`${what}.reflective`)!;
  const generated = timings.get(`${what}.static`)!;
  const hand = timings.get(`${what}.hand`);
  if (hand !== undefined) results.addTiming(`message.${name}.hand`, hand, 'us');
  results.addTiming(`message.${name}.protobufjs`, theirs, 'us');
  results.addTiming(`message.${name}.bufbuild`, timings.get(`${what}.bufbuild`)!, 'us', {
    with: theirs,
    of: 'protobufjs',
  });
  results.addTiming(`message.${name}.static`, generated, 'us', {
    with: theirs,
    of: 'protobufjs',
    target: { kind: 'atMost', ratio: 1 },
  });
  results.addTiming(`message.${name}.generated`, timings.get(`${what}.generated`)!, 'us', {
    with: theirs,
    of: 'protobufjs',
    target: { kind: 'atMost', ratio: 1 },
  });
  results.addTiming(`message.${name}.reflective`, reflective, 'us', {
    with: theirs,
    of: 'protobufjs',
    target: { kind: 'atMost', ratio: 1.5 },
  });
  results.add({
    name: `message.${name}.static-over-reflective`,
    value: reflective.median / generated.median,
    unit: 'times',
    ratio: reflective.median / generated.median,
    of: 'reflective',
    target: { kind: 'atLeast', ratio: 2 },
  });
}

/** Rows to entities, from the engine's pages, with the message's codec in each of our ways. */
async function hydrations(model: EntityModel): Promise<void> {
  const engine = await openMemoryEngine();
  const { families } = model.table;
  await engine.createTable({ name: model.table.name, families });
  const dehydrator = compileDehydrator(model);
  await engine.mutateRows(
    model.table.name,
    readings.map((row) =>
      dehydrator.insert(row as unknown as Record<string, unknown>, Date.UTC(2026, 0, 1) * 1000),
    ),
  );
  const timings = await interleave(
    [
      ['static', codecOf(small)],
      ['generated', messageCodec(small, 'source')],
      ['reflective', messageCodec(small, 'closures')],
    ].map(([name, codec]): Variant => {
      const columns = model.columns.map((column) => ({ ...column, codec: codec as CellCodec }));
      const hydrate = compileHydrator({ ...model, columns }, { columns, whole: true });
      return { name: name as string, run: () => readAll(engine, model, hydrate) };
    }),
    101,
    20,
  );
  const reflective = timings.get('reflective')!;
  results.addTiming('hydrate.6.static', timings.get('static')!, 'us/row', {
    with: reflective,
    of: 'reflective',
  });
  results.addTiming('hydrate.6.generated', timings.get('generated')!, 'us/row', {
    with: reflective,
    of: 'reflective',
  });
  results.addTiming('hydrate.6.reflective', reflective, 'us/row');
  await engine.close();
}

async function readAll(engine: Engine, model: EntityModel, hydrate: Hydrator): Promise<number> {
  let rows = 0;
  for (let pass = 0; pass < 2; pass++) {
    const stream = engine.readRows({
      table: model.table.name,
      ranges: [everyKey],
      reversed: false,
    });
    for (let page = await stream.next(); page !== undefined; page = await stream.next()) {
      while (page.nextRow()) {
        sum += (hydrate(page) as { status: Status }).status.battery!;
        rows++;
      }
    }
  }
  return rows;
}
