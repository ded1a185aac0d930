/** `rowsmith completion`: prints the script with which a shell completes command lines. */
import { suggestionText } from '../../../base/index.js';
import { defineCommand, exit, UsageError } from '../../command.js';
import { completionScripts } from './scripts.js';

const shells = Object.keys(completionScripts);

/** The command. */
export const completion = defineCommand({
  usage: '(bash | zsh | fish)',
  about: `Prints a script with which the shell completes commands, options and their values: names of
entities, segments, access patterns and families of the project, and files. To load it in each new
shell, add a line to ~/.bashrc, ~/.zshrc (after compinit) or ~/.config/fish/config.fish:

  source <(rowsmith completion bash)
  source <(rowsmith completion zsh)
  rowsmith completion fish | source

The names come from the config of the project, which is executed when its names are not known yet,
and only if no other user can change it.`,
  arguments: [{ name: 'SHELL', kind: shells }],
  run({ positionals }, { terminal }) {
    const [shell] = positionals;
    if (shell === undefined) throw new UsageError('completion takes bash, zsh or fish');
    const script = (completionScripts as Readonly<Record<string, string | undefined>>)[shell];
    if (script === undefined)
      throw new UsageError(
        `there is no completion for '${shell}'; ${suggestionText(shell, shells, 'the shells are')}`,
      );
    terminal.printJson({ shell, script });
    if (!terminal.json) terminal.write(script);
    return Promise.resolve(exit.ok);
  },
});
