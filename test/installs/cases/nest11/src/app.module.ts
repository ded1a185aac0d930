import { Module } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { shared } from 'rowsmith';
import { RowsmithFilter, RowsmithModule } from 'rowsmith/nest';
import { Note } from './note';
import { NotesController } from './notes.controller';
import { NotesService } from './notes.service';

@Module({
  imports: [
    RowsmithModule.forRootAsync({
      useFactory: () => shared(process.env.DATABASE ?? 'memory:', { entities: [Note] }),
    }),
    RowsmithModule.forFeature([Note]),
  ],
  controllers: [NotesController],
  providers: [NotesService, { provide: APP_FILTER, useClass: RowsmithFilter }],
})
export class AppModule {}
