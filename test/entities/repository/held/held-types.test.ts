/** What is generated, or set by the library, is so in the types of calls. */
import { open } from '../../../../src/index.js';
import { Issue } from './held-entities.js';

test('create and patch take what the application gives', async () => {
  await using db = await open('memory:', { entities: [Issue] });
  const issues = db.repository(Issue);
  const made = issues.create({ tenant: 'acme', title: 'Lamp' });
  const id: string = made.id;
  const pinned: boolean = made.pinned;
  expect([id.length, pinned]).toEqual([36, false]);
  // @ts-expect-error: it is required
  expect(() => issues.create({ tenant: 'acme' })).toThrow();
  // @ts-expect-error: no member of oneOf
  await expect(issues.patch(made, { status: 'gone' })).rejects.toThrow();
  // @ts-expect-error: the library sets it
  await expect(issues.patch(made, { revision: 'x' })).rejects.toThrow();
  // @ts-expect-error: the library sets it
  await expect(issues.patch(made, { createdAt: new Date() })).rejects.toThrow();
  // @ts-expect-error: increments change it
  await expect(issues.patch(made, { views: 1n })).rejects.toThrow();
});

test('update reads what the library sets, and does not write it', async () => {
  await using db = await open('memory:', { entities: [Issue] });
  const issues = db.repository(Issue);
  const made = issues.create({ tenant: 'acme', title: 'Lamp' });
  await issues.insert(made);
  await issues.update(made, (issue) => {
    const views: bigint = issue.views ?? 0n;
    issue.votes = Number(views);
    // @ts-expect-error: increments change it
    issue.views = 1n;
    // @ts-expect-error: the library sets it
    issue.revision = 'x';
  });
  const read = (await issues.get(made))!;
  expect([read.votes, read.views, read.revision === 'x']).toEqual([0, undefined, false]);
});
