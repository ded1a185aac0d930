import { Body, Controller, Get, Param, Post } from '@nestjs/common';
import { RowsmithHealth } from 'rowsmith/nest';
import { Note } from './note';
import { NotesService } from './notes.service';

@Controller('notes')
export class NotesController {
  constructor(
    private readonly notes: NotesService,
    private readonly health: RowsmithHealth,
  ) {}

  @Post(':list')
  add(@Param('list') list: string, @Body() body: { id: string; title: string }): Promise<Note> {
    return this.notes.add(list, body.id, body.title);
  }

  @Get('health')
  check() {
    return this.health.check();
  }

  @Get(':list')
  list(@Param('list') list: string): Promise<Note[]> {
    return this.notes.list(list);
  }
}
