import { Inject, Module, OnModuleDestroy } from '@nestjs/common';
import { Database, shared } from 'rowsmith';
import { Note } from './note';
import { NotesController } from './notes.controller';
import { DATABASE, NotesService } from './notes.service';

@Module({
  controllers: [NotesController],
  providers: [
    NotesService,
    {
      provide: DATABASE,
      useFactory: () => shared(process.env.DATABASE ?? 'memory:', { entities: [Note] }),
    },
  ],
})
export class AppModule implements OnModuleDestroy {
  constructor(@Inject(DATABASE) private readonly db: Database) {}

  onModuleDestroy(): Promise<void> {
    return this.db.close();
  }
}
