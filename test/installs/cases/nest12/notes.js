/** What decorators do, written as calls. */
import 'reflect-metadata';
import { Body, Controller, Get, Module, Post } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { column, defineEntity, rowKey } from 'rowsmith';
import { InjectRepository, RowsmithFilter, RowsmithModule } from 'rowsmith/nest';

export class Note {}
defineEntity(Note, {
  table: 'notes',
  families: { n: {} },
  key: rowKey('id'),
  segments: { id: { kind: 'string', maxLength: 9 } },
  columns: { title: column('n', 'string') },
});

class NotesController {
  constructor(notes) {
    this.notes = notes;
  }

  async add(body) {
    const note = this.notes.fromJSON(body);
    await this.notes.insert(note);
    return note;
  }

  list() {
    return this.notes.scanAll().all();
  }
}
const method = (name) => Object.getOwnPropertyDescriptor(NotesController.prototype, name);
InjectRepository(Note)(NotesController, undefined, 0);
Body()(NotesController.prototype, 'add', 0);
Post()(NotesController.prototype, 'add', method('add'));
Get()(NotesController.prototype, 'list', method('list'));
Controller('notes')(NotesController);

/** The application over a database that `open` opens. */
export function appModule(open) {
  class AppModule {}
  Module({
    imports: [RowsmithModule.forRootAsync({ useFactory: open }), RowsmithModule.forFeature([Note])],
    controllers: [NotesController],
    providers: [{ provide: APP_FILTER, useClass: RowsmithFilter }],
  })(AppModule);
  return AppModule;
}
