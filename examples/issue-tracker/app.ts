/** The issue tracker over HTTP. The headers x-tenant and x-user stand for an authentication. */
import { randomUUID } from 'node:crypto';
import express, { type Express, type NextFunction, type Request, type Response } from 'express';
import { type Database, isRowsmithError } from 'rowsmith';
import { Comment, Issue } from './entities.js';

/** The routes, over a database that was opened with Issue and Comment. */
export function issueTracker(db: Database): Express {
  const app = express();
  app.use(express.json());
  addIssues(app, db);
  addComments(app, db);
  app.get('/inbox', async (request, response) => {
    const { issues } = repositoriesOf(db, request);
    const mine = issues
      .index('byAssignee')
      .prefix({ assignee: header(request, 'x-user'), status: 'open' });
    response.json(await mine.page({ size: 20, after: cursorOf(request) }));
  });
  app.get('/health', async (_request, response) => {
    await db.ping();
    response.json({ status: 'up' });
  });
  app.use(answerError);
  return app;
}

function addIssues(app: Express, db: Database): void {
  app.post('/issues', async (request, response) => {
    const { issues } = repositoriesOf(db, request);
    const given = only(request.body, ['slug', 'title', 'text', 'assignee']);
    const issue = issues.fromJSON({ ...given, id: randomUUID(), status: 'open' });
    await issues.insert(issue);
    response.status(201).json(issue);
  });
  app.get('/issues/:slug', async (request, response) => {
    response.json(await issueOf(db, request));
  });
  // The client sends the revision that it has read. If the issue has another one, the answer is 409.
  app.patch('/issues/:slug', async (request, response) => {
    const { issues } = repositoriesOf(db, request);
    // save() leaves counters as they are, and fromJSON() refuses them.
    const { comments: _comments, ...stored } = issues.toJSON(await issueOf(db, request));
    const given = only(request.body, ['slug', 'title', 'text', 'status', 'assignee']);
    const { revision } = only(request.body, ['revision']);
    const issue = issues.fromJSON({ ...stored, ...given, revision });
    await issues.save(issue);
    response.json(issue);
  });
}

function addComments(app: Express, db: Database): void {
  app.post('/issues/:slug/comments', async (request, response) => {
    const { issues, comments } = repositoriesOf(db, request);
    const issue = await issueOf(db, request);
    const comment = comments.fromJSON({
      ...only(request.body, ['text']),
      issue: issue.id,
      at: new Date().toISOString(),
      id: randomUUID(),
      author: header(request, 'x-user'),
    });
    await comments.insert(comment);
    await issues.increment({ id: issue.id }, 'comments');
    response.status(201).json(comment);
  });
  app.get('/issues/:slug/comments', async (request, response) => {
    const { comments } = repositoriesOf(db, request);
    const { id } = await issueOf(db, request);
    const ofIssue = comments.prefix({ issue: id });
    response.json(await ofIssue.page({ size: 20, after: cursorOf(request) }));
  });
}

/** The repositories of the tenant, which reach no row of another one. */
function repositoriesOf(db: Database, request: Request) {
  const scope = db.scope({ tenant: header(request, 'x-tenant') });
  return { issues: scope.repository(Issue), comments: scope.repository(Comment) };
}

async function issueOf(db: Database, request: Request): Promise<Issue> {
  const { issues } = repositoriesOf(db, request);
  const issue = await issues.index('bySlug').get({ slug: String(request.params.slug) });
  if (issue === undefined) throw new HttpError(404, 'There is no such issue.');
  return issue;
}

class HttpError extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

function header(request: Request, name: string): string {
  const value = request.get(name);
  if (value === undefined || value === '')
    throw new HttpError(401, `The header ${name} is missing.`);
  return value;
}

const cursorOf = ({ query }: Request): string | undefined =>
  query.after === undefined ? undefined : String(query.after);

/** The named properties of a body, as far as it has them. */
function only(body: unknown, names: readonly string[]): Record<string, unknown> {
  const given = Object.entries(Object(body) as Record<string, unknown>);
  return Object.fromEntries(given.filter(([name]) => names.includes(name)));
}

/** Only what the request itself contained: details may name other rows. */
function answerError(
  error: unknown,
  _request: Request,
  response: Response,
  next: NextFunction,
): void {
  if (error instanceof HttpError) {
    response.status(error.status).json({ message: error.message });
  } else if (isRowsmithError(error)) {
    const { code, message, details, httpStatus } = error;
    const property = httpStatus < 500 ? details.property : undefined;
    response.status(httpStatus).json({ code, message, property });
  } else {
    next(error);
  }
}
