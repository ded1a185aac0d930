import { Injectable } from '@nestjs/common';
import { type Repository } from 'rowsmith';
import { InjectRepository } from 'rowsmith/nest';
import { Note } from './note';

@Injectable()
export class NotesService {
  constructor(@InjectRepository(Note) private readonly notes: Repository<typeof Note>) {}

  async add(list: string, id: string, title: string): Promise<Note> {
    const note = this.notes.create({ list, id, title });
    await this.notes.insert(note);
    return note;
  }

  async list(list: string): Promise<Note[]> {
    const found: Note[] = [];
    for await (const note of this.notes.prefix({ list })) found.push(note);
    return found;
  }
}
