import Fastify from 'fastify';
import { isRowsmithError, shared } from 'rowsmith';
import { Note } from './simple-note';

export async function start(database: string) {
  const db = await shared(database, { entities: [Note] });
  const notes = db.repository(Note);
  const app = Fastify();
  app.addHook('onClose', () => db.close());
  app.setErrorHandler((error, _request, reply) => {
    if (isRowsmithError(error)) return reply.code(error.httpStatus).send({ code: error.code });
    throw error;
  });
  app.post<{ Params: { list: string }; Body: { id: string; title: string } }>(
    '/notes/:list',
    async (request, reply) => {
      const note = notes.create({ list: request.params.list, ...request.body });
      await notes.insert(note);
      return reply.code(201).send(note);
    },
  );
  app.get<{ Params: { list: string } }>('/notes/:list', async (request) => {
    const found: Note[] = [];
    for await (const note of notes.prefix({ list: request.params.list })) found.push(note);
    return found;
  });
  const url = await app.listen({ port: 0, host: '127.0.0.1' });
  return { url, close: () => app.close() };
}
