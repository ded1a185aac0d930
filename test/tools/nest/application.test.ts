/** rowsmith/nest in an application, over HTTP. */
import { EventEmitter } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import {
  Body,
  Controller,
  Get,
  Injectable,
  type INestApplication,
  Module,
  Param,
  Post,
  type Type,
} from '@nestjs/common';
import { APP_FILTER, NestFactory } from '@nestjs/core';
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host.js';
import { IsNotEmpty, IsString } from 'class-validator';
import { firstValueFrom } from 'rxjs';
import {
  Column,
  Database,
  Entity,
  open,
  type Repository,
  RowsmithError,
  rowKey,
  Segment,
} from '../../../src/index.js';
import {
  InjectRepository,
  RowsmithFilter,
  RowsmithHealth,
  RowsmithModule,
} from '../../../src/tools/nest/index.js';
import { faultyDatabase } from '../../../src/tools/testing/index.js';

@Entity({ table: 'notes', families: { n: {} } })
class Note {
  static readonly key = rowKey('list', 'id');
  @Segment('string', { maxLength: 10 }) list!: string;
  @Segment('string', { maxLength: 10 }) id!: string;
  @IsString()
  @IsNotEmpty()
  @Column('n', 'string')
  title!: string;
}

/** A class with the name of another one has a repository of its own. */
const Other = (() => {
  @Entity({ name: 'Other', table: 'others', families: { n: {} } })
  class Note {
    static readonly key = rowKey('id');
    @Segment('string', { maxLength: 10 }) id!: string;
    @Column('n', 'string') title!: string;
  }
  return Note;
})();
type Other = InstanceType<typeof Other>;

@Injectable()
class Notes {
  constructor(
    @InjectRepository(Note) readonly notes: Repository<typeof Note>,
    @InjectRepository(Other) readonly others: Repository<typeof Other>,
    readonly db: Database,
  ) {}

  async add(note: unknown): Promise<Note> {
    const added = this.notes.fromJSON(note);
    await this.notes.insert(added);
    await this.others.save(this.others.create({ id: added.id, title: 'other' }));
    return added;
  }

  list(list: string): Promise<Note[]> {
    return this.notes.prefix({ list }).all();
  }

  isOfDatabase(): boolean {
    return this.db.repository(Note) === this.notes;
  }
}

let leaveSlow = (): void => {};
let enteredSlow = (): void => {};

@Controller()
class NotesController {
  constructor(
    readonly notes: Notes,
    readonly health: RowsmithHealth,
  ) {}

  @Post('notes')
  add(@Body() note: unknown): Promise<Note> {
    return this.notes.add(note);
  }

  @Get('notes/:list')
  list(@Param('list') list: string): Promise<Note[]> {
    return this.notes.list(list);
  }

  /** Reads when the test says so. */
  @Get('slow')
  async slow(): Promise<Note[]> {
    const left = new Promise<void>((done) => (leaveSlow = done));
    enteredSlow();
    await left;
    return this.notes.list('home');
  }

  @Get('health')
  check(): Promise<object> {
    return this.health.check();
  }

  @Get('broken')
  broken(): never {
    throw new TypeError('not of Rowsmith');
  }
}

@Module({
  imports: [RowsmithModule.forFeature([Note, Other])],
  controllers: [NotesController],
  providers: [Notes, { provide: APP_FILTER, useClass: RowsmithFilter }],
})
class NotesModule {}

/** What the application logs as errors. */
const logged: string[] = [];
const logger = {
  log: () => {},
  warn: () => {},
  error: (text: unknown) => void logged.push(String(text)),
};

async function start(database: ReturnType<typeof RowsmithModule.forRoot>): Promise<{
  app: INestApplication;
  url: string;
}> {
  class AppModule {}
  Module({ imports: [database, NotesModule] })(AppModule);
  const app = await NestFactory.create(AppModule as Type, { logger, abortOnError: false });
  await app.listen(0, '127.0.0.1');
  return { app, url: await app.getUrl() };
}

async function send(url: string, body?: object): Promise<{ status: number; body: unknown }> {
  const response = await fetch(url, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'content-type': 'application/json', connection: 'close' },
    body: body === undefined ? null : JSON.stringify(body),
  });
  return { status: response.status, body: await response.json() };
}

const directory = mkdtempSync(join(tmpdir(), 'rowsmith-nest-'));
afterAll(() => rmSync(directory, { recursive: true }));
const entities = [Note, Other];
const note = { list: 'home', id: 'a', title: 'milk' };

describe.each([
  ['forRoot', (url: string) => RowsmithModule.forRoot(url, { entities })],
  [
    'forRootAsync',
    (url: string) => {
      class ConfigModule {}
      Module({ providers: [{ provide: 'URL', useValue: url }], exports: ['URL'] })(ConfigModule);
      return RowsmithModule.forRootAsync({
        imports: [ConfigModule],
        inject: ['URL'],
        useFactory: (given: string) => open(given, { entities }),
      });
    },
  ],
])('%s', (name, moduleOf) => {
  const url = `file:${join(directory, name)}`;

  test('repositories are injected, and the database is closed with the application', async () => {
    const first = await start(moduleOf(url));
    expect(await send(`${first.url}/notes`, note)).toEqual({ status: 201, body: note });
    expect(first.app.get(Notes).isOfDatabase()).toBe(true);
    const db = first.app.get(Database);
    await first.app.close();
    await expect(db.ping()).rejects.toMatchObject({ code: 'DATABASE_CLOSED' });

    const again = await start(moduleOf(url));
    expect(await send(`${again.url}/notes/home`)).toEqual({ status: 200, body: [note] });
    await again.app.close();
  });
});

describe('an application', () => {
  let app: INestApplication;
  let url: string;
  beforeEach(async () => {
    logged.length = 0;
    ({ app, url } = await start(RowsmithModule.forRoot('memory:', { entities })));
  });
  afterEach(() => app.close());

  test('answers errors of the request with their status, and what the request contained', async () => {
    await send(`${url}/notes`, note);
    expect(await send(`${url}/notes`, note)).toEqual({
      status: 409,
      body: { statusCode: 409, code: 'ROW_EXISTS', message: 'The row already exists.' },
    });
    expect(await send(`${url}/notes`, { ...note, id: 7 })).toMatchObject({
      status: 400,
      body: { code: 'INVALID_VALUE', property: 'id' },
    });
    expect(await send(`${url}/notes`, { list: 'home', id: 'b', title: '' })).toMatchObject({
      status: 400,
      body: { code: 'VALIDATION_FAILED', issues: [{ path: 'title', rule: 'isNotEmpty' }] },
    });
    expect(logged).toEqual([]);
  });

  test('answers failures without their details, and logs them', async () => {
    await app.get(Database).close();
    const body = { statusCode: 503, code: 'DATABASE_CLOSED', message: 'The database is closed.' };
    expect(await send(`${url}/notes/home`)).toEqual({ status: 503, body });
    expect(logged).toEqual([expect.stringMatching(/RowsmithError: \[DATABASE_CLOSED\]/)]);
  });

  test('leaves other errors to Nest', async () => {
    expect(await send(`${url}/broken`)).toMatchObject({ status: 500, body: { statusCode: 500 } });
    expect(logged).toEqual([expect.stringContaining('not of Rowsmith')]);
  });

  test('answers the requests that it has before it closes the database', async () => {
    await send(`${url}/notes`, note);
    const entered = new Promise<void>((done) => (enteredSlow = done));
    const answer = send(`${url}/slow`);
    await entered;
    const closed = app.close();
    setTimeout(leaveSlow, 20);
    expect(await answer).toEqual({ status: 200, body: [note] });
    await closed;
  });
});

test('health follows the storage', async () => {
  const db = await faultyDatabase('memory:', { entities });
  const { app, url } = await start(RowsmithModule.forRootAsync({ useFactory: () => db }));
  expect((await send(`${url}/health`)).body).toEqual({ database: { status: 'up' } });
  db.faults.failRead();
  const down = { database: { status: 'down', code: 'UNAVAILABLE' } };
  expect((await send(`${url}/health`)).body).toEqual(down);
  await app.close();
});

test('a repository of an entity that is not opened ends the start, once the database is closed', async () => {
  const db = await open('memory:', { entities: [Other] });
  const close = db.close.bind(db);
  const closed = new Promise<void>((done) => {
    db.close = async () => {
      await close();
      for (let turn = 0; turn < 50; turn++) await setImmediate();
      done();
    };
  });
  const outcome = start(RowsmithModule.forRootAsync({ useFactory: () => db })).catch(
    (error: unknown) => error,
  );
  expect(await Promise.race([closed, outcome])).toBeUndefined();
  expect(await outcome).toMatchObject({ code: 'INVALID_ARGUMENT' });
  await expect(db.repository(Other).exists({ id: '1' })).rejects.toMatchObject({
    code: 'DATABASE_CLOSED',
  });
});

test.each([undefined, null, 'Note', {}])('%p is not an entity class', (value) => {
  const error = expect.objectContaining({ code: 'INVALID_ARGUMENT' }) as Error;
  expect(() => InjectRepository(value as never)).toThrow(error);
  expect(() => RowsmithModule.forFeature([value as never])).toThrow(error);
});

describe('outside of HTTP', () => {
  const error = new RowsmithError('ROW_NOT_FOUND', { rowKey: 'secret' });
  const answer = { status: 'error', code: 'ROW_NOT_FOUND', message: error.message };
  const hostOf = (type: string, ...args: unknown[]): ExecutionContextHost => {
    const host = new ExecutionContextHost(args);
    host.setType(type);
    return host;
  };
  const filter = new RowsmithFilter();

  test('a microservice answers without details', async () => {
    const answers = filter.catch(error, hostOf('rpc', {}, {}));
    await expect(firstValueFrom(answers!)).rejects.toEqual(answer);
  });

  test('a gateway sends the event exception', () => {
    const client = new EventEmitter();
    const sent: unknown[] = [];
    client.on('exception', (data) => sent.push(data));
    expect(filter.catch(error, hostOf('ws', client, {}))).toBeUndefined();
    expect(sent).toEqual([answer]);
  });

  test('in another context the error is thrown again', () => {
    expect(() => filter.catch(error, hostOf('graphql'))).toThrow(error);
  });
});

test('a database that does not open rejects, and a repository that is not provided is named', async () => {
  await expect(start(RowsmithModule.forRoot('nowhere:', { entities }))).rejects.toMatchObject({
    code: 'INVALID_ARGUMENT',
  });
  await expect(start(RowsmithModule.forRoot('memory:', { entities: [Other] }))).rejects.toThrow(
    expect.objectContaining({
      code: 'INVALID_ARGUMENT',
      details: expect.objectContaining({ entity: 'Note' }) as unknown,
    }),
  );
});
