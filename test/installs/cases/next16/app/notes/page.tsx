import { database } from '../../lib/db';
import { Note } from '../../lib/note';
import { add } from './actions';

export const dynamic = 'force-dynamic';

export default async function Page() {
  const notes = (await database()).repository(Note);
  const rows: Note[] = [];
  for await (const note of notes.prefix({ list: 'home' })) rows.push(note);
  return (
    <main>
      <ul>
        {rows.map((note) => (
          <li key={note.id}>{`${note.id}: ${note.shout()}`}</li>
        ))}
      </ul>
      <form action={add}>
        <input name="id" />
        <input name="title" />
        <button>Add</button>
      </form>
    </main>
  );
}
