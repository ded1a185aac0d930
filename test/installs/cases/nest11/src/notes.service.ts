import { Inject, Injectable } from '@nestjs/common';
import { Database } from 'rowsmith';
import { Note } from './note';

export const DATABASE = Symbol('database');

@Injectable()
export class NotesService {
  constructor(@Inject(DATABASE) private readonly db: Database) {}

  async add(list: string, id: string, title: string): Promise<Note> {
    const notes = this.db.repository(Note);
    const note = notes.create({ list, id, title });
    await notes.insert(note);
    return note;
  }

  async list(list: string): Promise<Note[]> {
    const found: Note[] = [];
    for await (const note of this.db.repository(Note).prefix({ list })) found.push(note);
    return found;
  }
}
