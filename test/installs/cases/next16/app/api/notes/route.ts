import { isRowsmithError, RowsmithError } from 'rowsmith';
import { database } from '../../../lib/db';
import { Note } from '../../../lib/note';

export const dynamic = 'force-dynamic';

export async function GET(request: Request): Promise<Response> {
  const notes = (await database()).repository(Note);
  const list = new URL(request.url).searchParams.get('list') ?? '';
  const rows: { id: string; title?: string; shout: string; isNote: boolean }[] = [];
  for await (const note of notes.prefix({ list }))
    rows.push({
      id: note.id,
      title: note.title,
      shout: note.shout(),
      isNote: note instanceof Note,
    });
  return Response.json(rows);
}

export async function POST(request: Request): Promise<Response> {
  const { list, id, title } = (await request.json()) as Record<string, string>;
  const notes = (await database()).repository(Note);
  try {
    await notes.insert(notes.create({ list, id, title }));
    return Response.json({ saved: id }, { status: 201 });
  } catch (error) {
    if (!isRowsmithError(error)) throw error;
    const isInstance = error instanceof RowsmithError;
    return Response.json(
      { code: error.code, entity: error.details.entity, isInstance },
      { status: 409 },
    );
  }
}
