import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import express, { type NextFunction, type Request, type Response } from 'express';
import { isRowsmithError, shared } from 'rowsmith';
import { Note } from './simple-note';

export async function start(database: string) {
  const db = await shared(database, { entities: [Note] });
  const notes = db.repository(Note);
  const app = express();
  app.use(express.json());
  app.post('/notes/:list', async (request, response) => {
    const { id, title } = request.body as { id: string; title: string };
    const note = notes.create({ list: request.params.list, id, title });
    await notes.insert(note);
    response.status(201).json(note);
  });
  app.get('/notes/:list', async (request, response) => {
    const found: Note[] = [];
    for await (const note of notes.prefix({ list: request.params.list })) found.push(note);
    response.json(found);
  });
  app.use((error: unknown, _request: Request, response: Response, next: NextFunction) => {
    if (isRowsmithError(error)) response.status(error.httpStatus).json({ code: error.code });
    else next(error);
  });
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections();
      server.close();
      await db.close();
    },
  };
}
