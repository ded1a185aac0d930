/**
 * A home screen of three entities: one collection, three queries made by hand, and three reads of
 * the official client. `npm run bench -- bench/across/collection.ts`
 */
import { openMemoryEngine } from '../../src/engines/local/index.js';
import {
  Column,
  Counter,
  type Database,
  Entity,
  literal,
  open,
  rowKey,
  Segment,
  table,
} from '../../src/index.js';
import { startServer } from '../../src/server/index.js';
import { interleave } from '../interleave.js';
import { Official } from '../wire/official.js';

const inbox = table('inbox', { families: { m: {}, c: {} } });

@Entity({ table: inbox })
class Profile {
  static readonly key = rowKey('user');
  @Segment('string') user!: string;
  @Column('m', 'string') name?: string;
}

@Entity({ table: inbox })
class Unread {
  static readonly key = rowKey('user', literal('count'), 'folder');
  @Segment('string') user!: string;
  @Segment('string') folder!: string;
  @Counter('c') count?: bigint;
}

@Entity({ table: inbox })
class Message {
  static readonly key = rowKey('user', literal('message'), 'at');
  @Segment('string') user!: string;
  @Segment('timestamp', { order: 'desc' }) at!: Date;
  @Column('m', 'string') subject?: string;
  @Column('m', 'string') body?: string;
}

const entities = [Profile, Unread, Message];
const users = 100;
const messages = 1000;
const shown = 20;
const rounds = 15;
/** The code of a few hundred queries is not compiled yet, and the first variant would pay for it. */
const warmUpRounds = 15;

async function fill(db: Database): Promise<void> {
  const start = Date.UTC(2026, 0, 1);
  for (let i = 0; i < users; i++) {
    const user = `user${i}`;
    await db.repository(Profile).save(db.repository(Profile).create({ user, name: user }));
    for (const folder of ['inbox', 'news', 'spam'])
      await db.repository(Unread).increment({ user, folder }, 'count', 3n);
    await db.repository(Message).saveMany(
      Array.from({ length: messages }, (_, n) =>
        db.repository(Message).create({
          user,
          at: new Date(start + n * 60_000),
          subject: `message ${n}`,
          body: 'x'.repeat(200),
        }),
      ),
    );
  }
}

type Screen = (user: string) => Promise<number>;

function screensOf(db: Database): Record<string, Screen> {
  const home = db.collection({ profile: Profile, unread: Unread, messages: Message });
  const queries = (user: string): Promise<unknown>[] => [
    db.repository(Profile).get({ user }),
    db.repository(Unread).prefix({ user }).all(),
    db.repository(Message).prefix({ user }).limit(shown).all(),
  ];
  return {
    collection: async (user) =>
      (await home.prefix({ user }).limit({ messages: shown }).all()).length,
    'collection, grouped': async (user) =>
      (await home.prefix({ user }).limit({ messages: shown }).groupBy('user').all())[0].members
        .messages.length + 4,
    'three queries, in parallel': async (user) => {
      const [, unread, list] = (await Promise.all(queries(user))) as [
        unknown,
        unknown[],
        unknown[],
      ];
      return 1 + unread.length + list.length;
    },
    'three queries, one by one': async (user) => {
      await db.repository(Profile).get({ user });
      const unread = await db.repository(Unread).prefix({ user }).all();
      const list = await db.repository(Message).prefix({ user }).limit(shown).all();
      return 1 + unread.length + list.length;
    },
  };
}

function officialScreen(client: Official): Screen {
  return async (user) => {
    const range = (prefix: string): object => ({ start: `${prefix}#`, end: `${prefix}$` });
    const [profile, unread, list] = await Promise.all([
      client.getRows('inbox', { keys: [user] }),
      client.getRows('inbox', { ranges: [range(`${user}#count`)] }),
      client.getRows('inbox', { ranges: [range(`${user}#message`)], limit: shown }),
    ]);
    return profile.length + unread.length + list.length;
  };
}

/** Prints the median time of each screen in microseconds. */
async function report(title: string, screens: Record<string, Screen>): Promise<void> {
  const variants = Object.entries(screens).map(([name, screen]) => ({
    name,
    run: async () => {
      for (let i = 0; i < users; i++) {
        const rows = await screen(`user${i}`);
        if (rows !== shown + 4) throw new Error(`${rows} rows`);
      }
      return users;
    },
  }));
  console.log(title);
  for (const [name, { median, min }] of await interleave(variants, rounds, warmUpRounds))
    console.log(
      `  ${name.padEnd(36)}${median.toFixed(0).padStart(7)} us${min.toFixed(0).padStart(7)} min`,
    );
}

const memory = await open('memory:', { entities });
await fill(memory);
await report('memory', screensOf(memory));
await memory.close();

const engine = await openMemoryEngine();
const server = await startServer(engine, { instance: 'projects/p/instances/i' });
const live = await open('bigtable://p/i', {
  entities,
  bigtable: { emulatorHost: server.address },
});
await live.admin.apply();
await fill(live);
const client = new Official(server.address);
await report('live, our server', {
  ...screensOf(live),
  'official client, in parallel': officialScreen(client),
});
await live.close();
await client.close();
await server.close({ graceMs: 200 });
await engine.close();
