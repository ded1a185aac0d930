import { Body, ConflictException, Controller, Get, Param, Post } from '@nestjs/common';
import { isRowsmithError } from 'rowsmith';
import { Note } from './note';
import { NotesService } from './notes.service';

@Controller('notes')
export class NotesController {
  constructor(private readonly notes: NotesService) {}

  @Post(':list')
  async add(
    @Param('list') list: string,
    @Body() body: { id: string; title: string },
  ): Promise<Note> {
    try {
      return await this.notes.add(list, body.id, body.title);
    } catch (error) {
      if (isRowsmithError(error)) throw new ConflictException(error.code);
      throw error;
    }
  }

  @Get(':list')
  list(@Param('list') list: string): Promise<Note[]> {
    return this.notes.list(list);
  }
}
