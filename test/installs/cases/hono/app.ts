import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { isRowsmithError, shared } from 'rowsmith';
import { Note } from './simple-note';

export async function start(database: string) {
  const db = await shared(database, { entities: [Note] });
  const notes = db.repository(Note);
  const app = new Hono();
  app.post('/notes/:list', async (c) => {
    const { id, title } = await c.req.json<{ id: string; title: string }>();
    const note = notes.create({ list: c.req.param('list'), id, title });
    await notes.insert(note);
    return c.json(note, 201);
  });
  app.get('/notes/:list', async (c) => {
    const found: Note[] = [];
    for await (const note of notes.prefix({ list: c.req.param('list') })) found.push(note);
    return c.json(found);
  });
  app.onError((error, c) => {
    if (isRowsmithError(error)) return c.json({ code: error.code }, 409);
    throw error;
  });
  const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' });
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.close();
      await db.close();
    },
  };
}
