import { shared } from 'rowsmith';
import { Note } from './note';

export const db = await shared(process.env.DATABASE ?? 'file:./data', { entities: [Note] });
