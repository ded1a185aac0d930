/** A program that keeps running, as a server does. Each start saves a note. */
import { shared } from 'rowsmith';
import { extra, Note } from './note.mjs';

const db = await shared(process.env.DATABASE, { entities: [Note] });
const notes = db.repository(Note);
const count = await notes.scanAll().count();
const id = `n${count}`;
await notes.save(notes.create({ id, title: `start ${count}`, ...extra }));
console.log(`saved ${JSON.stringify(await notes.get({ id }))}`);
setInterval(() => {}, 1000);
