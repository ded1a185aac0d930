/**
 * A codec that `rowsmith generate` printed: examples/static-codec/generated/codecs.ts, made in that
 * folder by `npx rowsmith generate codecs`. Importing it is all: messages of its names are read and
 * written by it, with the same bytes and checks, and nothing is compiled from strings.
 */
import assert from 'node:assert/strict';
import { describe, Entity, Field, Message, open, Packed, rowKey, Segment } from 'rowsmith';
// Before the first row is read or written.
import './static-codec/generated/codecs.js';
import { Reading, Status } from './static-codec/reading.js';

// How one sees that it is used: describe says so, and says it of no other message.
const { messages } = describe(Reading);
console.log(String(describe(Reading)));
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

// Values are checked as ever, and the fault names the place.
const wrong = readings.create({ device: 'd2', status: { alarms: [1, -1] } });
await assert.rejects(
  readings.save(wrong),
  (error: { code: string; details: { property: string } }) =>
    error.code === 'INVALID_VALUE' && error.details.property === 'status.alarms[1]',
);

/** The message after somebody changed its class and did not generate again. */
@Message('static_codec.Status')
class ChangedStatus {
  @Field(1, 'string') firmware?: string;
  @Field(2, 'string') uptime?: string;
}

@Entity({ table: 'telemetry', families: { s: {} } })
class ChangedReading {
  static readonly key = rowKey('device');
  @Segment('string') device!: string;
  @Packed('s', () => ChangedStatus) status?: ChangedStatus;
}

// A codec of another form is refused with the difference, never used; `rowsmith generate --check`
// tells before that, in CI.
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
