import { INestApplication } from '@nestjs/common';
import { Test, TestingModule } from '@nestjs/testing';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import request from 'supertest';
import { App } from 'supertest/types';
import { AppModule } from './../src/app.module';

const directory = mkdtempSync(join(tmpdir(), 'notes-'));
afterAll(() => rmSync(directory, { recursive: true }));

describe.each(['memory:', `file:${join(directory, 'data')}`])('notes in %s (e2e)', (url) => {
  let app: INestApplication<App>;

  beforeEach(async () => {
    process.env.DATABASE = url;
    const moduleFixture: TestingModule = await Test.createTestingModule({
      imports: [AppModule],
    }).compile();

    app = moduleFixture.createNestApplication();
    await app.init();
  });

  it('saves and lists', async () => {
    const server = app.getHttpServer();
    await request(server).post('/notes/home').send({ id: 'a', title: 'milk' }).expect(201);
    await request(server)
      .get('/notes/home')
      .expect(200)
      .expect([{ list: 'home', id: 'a', title: 'milk' }]);
  });

  it('starts again, and reports a note that exists', async () => {
    const server = app.getHttpServer();
    const send = () => request(server).post('/notes/twice').send({ id: 'a', title: 'milk' });
    await send().expect(201);
    await send()
      .expect(409)
      .expect({ statusCode: 409, code: 'ROW_EXISTS', message: 'The row already exists.' });
  });

  it('is healthy', async () => {
    await request(app.getHttpServer())
      .get('/notes/health')
      .expect(200)
      .expect({ database: { status: 'up' } });
  });

  afterEach(async () => {
    await app.close();
  });
});
