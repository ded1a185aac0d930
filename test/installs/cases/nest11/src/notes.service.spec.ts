import { Test, TestingModule } from '@nestjs/testing';
import { RowsmithError } from 'rowsmith';
import { testDatabase, TestDatabase } from 'rowsmith/testing';
import { RowsmithModule } from 'rowsmith/nest';
import { Note } from './note';
import { NotesService } from './notes.service';

describe('NotesService', () => {
  let db: TestDatabase;
  let app: TestingModule;
  let service: NotesService;

  beforeEach(async () => {
    db = await testDatabase([Note]);
    const database = RowsmithModule.forRootAsync({ useFactory: () => db });
    app = await Test.createTestingModule({
      imports: [database, RowsmithModule.forFeature([Note])],
      providers: [NotesService],
    }).compile();
    service = app.get<NotesService>(NotesService);
  });

  afterEach(() => app.close());

  it('saves and lists', async () => {
    await service.add('home', 'b', 'bread');
    await service.add('home', 'a', 'milk');
    expect((await service.list('home')).map(({ title }) => title)).toEqual(['milk', 'bread']);
  });

  it('reads what was seeded', async () => {
    await db.seed(Note, [{ list: 'work', id: 'x', title: 'report' }]);
    expect(await service.list('work')).toHaveLength(1);
    expect(await service.list('home')).toHaveLength(0);
  });

  it('reports a note that exists', async () => {
    await service.add('home', 'a', 'milk');
    await expect(service.add('home', 'a', 'tea')).rejects.toBeInstanceOf(RowsmithError);
  });
});
