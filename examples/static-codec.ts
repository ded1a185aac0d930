/**
 * A generated codec: `npx rowsmith generate codecs` in examples/static-codec wrote
 * generated/codecs.ts there. Once it is imported, it encodes and decodes the messages with its
 * names, with the same bytes and checks, and no code is compiled at run time.
 */
import assert from 'node:assert/strict';
import { Entity, Field, Message, open, Packed, rowKey, Segment } from 'rowsmith';
import { describeEntity } from 'rowsmith/tools';
// Must be imported before the first row is read or written.
import './static-codec/generated/codecs.js';
import { Reading, Status } from './static-codec/reading.js';

// describe shows which messages use a generated codec.
const { messages } = describeEntity(Reading);
console.log(String(describeEntity(Reading)));
assert.deepEqual(
  messages.map(({ name, generated }) => [name, generated]),
  [['static_codec.Status', true]],
);

await using db = await open('memory:', { entities: [Reading] });
const readings = db.repository(Reading);
const status = Object.assign(new Status(), {
  firmware: '1.2',
  uptimeMs: 90_000n,
  temperature: 21.5,
  alarms: [3, 7],
});
await readings.save(readings.create({ device: 'd1', status }));
const read = await readings.get({ device: 'd1' });
console.log(read?.status);
assert.deepEqual(read?.status, status);

// Values are checked as without it, and the error names the position in the message.
const wrong = readings.create({ device: 'd2', status: { alarms: [1, -1] } });
await assert.rejects(
  readings.save(wrong),
  (error: { code: string; details: { property: string } }) =>
    error.code === 'INVALID_VALUE' && error.details.property === 'status.alarms[1]',
);

/** The message after a change of its class, without generating again. */
@Message('static_codec.Status')
class ChangedStatus {
  @Field(1, 'string') firmware?: string;
  @Field(2, 'string') uptime?: string;
}

@Entity({ table: 'telemetry', families: { s: {} } })
class ChangedReading {
  static readonly key = rowKey('device');
  @Segment('string', { maxLength: 32 }) device!: string;
  @Packed('s', () => ChangedStatus) status?: ChangedStatus;
}

// A codec that does not match the class is rejected, with the difference. `rowsmith generate
// --check` finds this earlier, in CI.
await using changed = await open('memory:', { entities: [ChangedReading] });
const others = changed.repository(ChangedReading);
await assert.rejects(
  others.save(others.create({ device: 'd1', status: { uptime: '1 h' } })),
  (error: { code: string; details: { problem: string; fix: string } }) => {
    console.log(`${error.details.problem}\n${error.details.fix}`);
    return (
      error.code === 'INVALID_DECLARATION' && error.details.problem.includes('"2 string uptime"')
    );
  },
);
