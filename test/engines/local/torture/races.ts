/**
 * Opening races: eight processes open one directory at the same time. One of them holds it, the
 * other seven get DATABASE_IN_USE.
 */
import { join } from 'node:path';
import { Workshop, type Child } from './processes.js';
import { randomOf } from './random.js';
import { Tally, type ScenarioOptions } from './tally.js';

const processes = 8;

export async function races(options: ScenarioOptions): Promise<Tally> {
  const tally = new Tally('races', options.onProgress);
  const workshop = new Workshop();
  const children: Child[] = [];
  let directory = '';
  let counted = 0;
  try {
    for (let round = 0; round < options.rounds; round++) {
      const seed = options.seed + round;
      const random = randomOf(seed);
      while (children.length < processes) children.push(await startOpener(workshop));
      if (directory === '' || random.chance(0.5)) {
        directory = join(workshop.empty('races'), 'db');
        counted = 0;
      }
      const isNew = counted === 0;
      const name = `races --seed ${seed} --rounds 1, ${isNew ? 'a new' : 'an existing'} directory`;
      const answers = await Promise.all(children.map((child) => ask(child, `open ${directory}`)));
      const winners = children.filter((_, i) => answers[i].startsWith('opened'));
      if (winners.length !== 1) tally.fault(`rounds with ${winners.length} holders`, name);
      for (const answer of answers) countAnswer(answer, tally, name);
      for (const winner of winners) {
        const value = Number(answers[children.indexOf(winner)].split(' ')[1]);
        if (value !== counted + 1) tally.fault('lost or double counts', `${name}: ${value}`);
        counted = value;
      }
      await Promise.all(
        winners.map(async (winner) => {
          if (!random.chance(0.5)) return countAnswer(await ask(winner, 'close'), tally, name);
          winner.kill();
          await winner.ended;
          children.splice(children.indexOf(winner), 1);
        }),
      );
      // A process that is not listening any more.
      for (const [i, answer] of answers.entries())
        if (answer.startsWith('ended')) children.splice(i, 1);
      if (winners.length !== 1) directory = '';
      tally.trial();
    }
  } finally {
    for (const child of children) child.finish();
    await Promise.all(children.map((child) => child.ended));
    workshop.remove();
  }
  return tally;
}

async function startOpener(workshop: Workshop): Promise<Child> {
  const child = workshop.start('open', {}, { maxSeconds: 3600 });
  await child.next('ready');
  return child;
}

/** Sends a command and resolves to the answer; 'ended ...' if the process ended. */
async function ask(child: Child, command: string): Promise<string> {
  const answer = child.nextOf(['opened', 'closed', 'failed']);
  child.send(command);
  return (await answer) ?? `ended ${(await child.ended) ?? 'with exit code 0'}`;
}

function countAnswer(answer: string, tally: Tally, name: string): void {
  if (answer.startsWith('ended')) return tally.fault('ended processes', `${name}: ${answer}`);
  if (!answer.startsWith('failed')) return;
  const code = JSON.parse(answer.slice('failed '.length)) as string;
  if (code.startsWith('DATABASE_IN_USE')) return tally.note('DATABASE_IN_USE');
  const kind = code.startsWith('untyped') ? 'untyped errors' : `errors ${code.split(' ', 1)[0]}`;
  tally.fault(kind, `${name}: ${code}`);
}
