'use server';

import { revalidatePath } from 'next/cache';
import { database } from '../../lib/db';
import { Note } from '../../lib/note';

export async function add(form: FormData): Promise<void> {
  const notes = (await database()).repository(Note);
  await notes.save(
    notes.create({
      list: 'home',
      id: String(form.get('id')),
      title: String(form.get('title')),
    }),
  );
  revalidatePath('/notes');
}
