import type { Repository } from 'rowsmith';
import type { Note } from './note';

/** The code under test. */
export class Notes {
  constructor(private readonly notes: Repository<typeof Note>) {}

  async add(list: string, titles: readonly string[]): Promise<void> {
    const rows = titles.map((title, i) =>
      this.notes.create({ list, at: new Date(Date.UTC(2026, 0, 1 + i)), title, stars: i }),
    );
    const { failures } = await this.notes.saveMany(rows);
    if (failures.length > 0) throw failures[0].error;
  }

  /** Newest first. */
  async titles(list: string, limit: number): Promise<(string | undefined)[]> {
    const titles: (string | undefined)[] = [];
    for await (const note of this.notes.prefix({ list }).limit(limit)) titles.push(note.title);
    return titles;
  }
}
