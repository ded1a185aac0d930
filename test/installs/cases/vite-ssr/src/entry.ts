import { shared } from 'rowsmith';
import { Note } from './note';

const database = (url: string) => shared(url, { entities: [Note] });

/** Saves a note, and returns all of them as HTML. */
export async function render(url: string, id: string, title: string): Promise<string> {
  const notes = (await database(url)).repository(Note);
  await notes.save(notes.create({ id, title }));
  const items: string[] = [];
  for await (const note of notes.scanAll()) items.push(`<li>${note.id}: ${note.title}</li>`);
  return `<ul>${items.join('')}</ul>`;
}

export async function close(url: string): Promise<void> {
  await (await database(url)).close();
}
