import { shared } from 'rowsmith';
import { Note } from './note';

export const database = () => shared(process.env.DATABASE ?? 'file:./data', { entities: [Note] });
