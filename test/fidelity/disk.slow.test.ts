/** The cases of docs/data-model.md on disk, with the same tables as in memory. */
import { openDisk } from './backends.js';
import { describeFidelity } from './fidelity.js';

describeFidelity('the engine on disk', openDisk);
