/**
 * `npm run bench -- bench/derived/revisions.ts`: what @Revision costs. One save after the other of
 * new rows and of rows that were read, with and without a revision; and `update()` of one row by 1
 * and by 8 callers at the same time. In memory, on disk, and live to our server and to Google's
 * emulator in processes of their own. Options: --only NAME (memory, disk, ours, emulator), --json.
 */
import { Column, Entity, Revision, Segment } from '../../decorators/index.js';
import { type Database, rowKey } from '../../src/index.js';
import { interleave, type Variant } from '../interleave.js';
import { benchOptions, Results } from '../results.js';
import { measureBackEnds } from './back-ends.js';

const families = { m: { gc: { kind: 'maxVersions', versions: 1 } as const } };

@Entity({ table: 'plain', families })
class Plain {
  static readonly key = rowKey('id');
  @Segment('uint', { max: 9_999_999 }) id!: number;
  @Column('m', 'string') name?: string;
  @Column('m', 'int64') total?: bigint;
}

@Entity({ table: 'revised', families })
class Revised extends Plain {
  @Revision('m') revision?: string;
}

const entities = [Plain, Revised];
const options = benchOptions(process.argv.slice(2), 1000);
const wants = (name: string): boolean => options.only.length === 0 || options.only.includes(name);
const results = new Results(options);
const calls = 100;
const updates = 40;
const attempts = 1000;
let nextId = 0;

function savesOf(db: Database): Variant[] {
  return [Plain, Revised].flatMap((entity): Variant[] => {
    const rows = db.repository(entity);
    const name = entity === Plain ? 'without' : 'with';
    const create = (id: number): Plain => rows.create({ id, name: 'a name', total: 1n });
    const kept = Array.from({ length: calls }, () => create(nextId++));
    return [
      {
        name: `save new.${name}`,
        async run() {
          for (let i = 0; i < calls; i++) await rows.save(create(nextId++));
          return calls;
        },
      },
      {
        name: `save again.${name}`,
        async run() {
          for (const row of kept) await rows.save(row);
          return calls;
        },
      },
    ];
  });
}

/** Updates of one row, shared out among callers. */
function updatesOf(db: Database, counted: { changes: number }): Variant[] {
  const rows = db.repository(Revised);
  const id = nextId++;
  return [1, 8].map((callers) => ({
    name: `update.${callers} callers`,
    async run() {
      await rows.delete({ id });
      await rows.save(rows.create({ id, total: 0n }));
      const caller = async (): Promise<void> => {
        for (let i = 0; i < updates / callers; i++)
          await rows.update(
            { id },
            (row) => {
              counted.changes++;
              row.total = (row.total ?? 0n) + 1n;
            },
            { attempts },
          );
      };
      await Promise.all(Array.from({ length: callers }, caller));
      const stored = await rows.get({ id });
      if (stored?.total !== BigInt(updates)) throw new Error(`${stored?.total} of ${updates}`);
      return updates;
    },
  }));
}

async function measure(name: string, db: Database): Promise<void> {
  const saves = await interleave(savesOf(db), 15, 3);
  for (const call of ['save new', 'save again']) {
    const without = saves.get(`${call}.without`)!;
    results.addTiming(`${name}.${call}.without`, without, 'us');
    results.addTiming(`${name}.${call}.with`, saves.get(`${call}.with`)!, 'us', {
      with: without,
      of: 'without',
    });
  }
  for (const callers of ['1 callers', '8 callers']) {
    const counted = { changes: 0 };
    const variant = updatesOf(db, counted).filter((each) => each.name === `update.${callers}`);
    const rounds = 5;
    const timings = await interleave(variant, rounds, 0);
    results.addTiming(`${name}.update.${callers}`, timings.get(`update.${callers}`)!, 'us');
    results.add({
      name: `${name}.update.${callers}.attempts`,
      value: counted.changes / (rounds * updates),
      unit: 'per update',
    });
  }
  await db.close();
}

await measureBackEnds(entities, wants, measure);
process.exit(results.finish({}));
