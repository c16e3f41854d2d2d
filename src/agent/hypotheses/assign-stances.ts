import { nameOfHypothesis, type Hypothesis } from '../../domain/hypothesis.ts';
import { clip } from '../../policy/untrusted.ts';

const MOST_TASKS = 4;
const MOST_CHARACTERS = 4000;

/** One task of a `delegate` call. */
export interface DelegatedTask {
  readonly task: string;
  readonly hypothesis?: string | undefined;
  readonly stance?: 'test' | 'refute' | undefined;
}

export interface AssignedTasks {
  readonly tasks: readonly DelegatedTask[];
  /** What code changed, for the model; empty when nothing. */
  readonly note: string;
}

/**
 * Makes sure that the first time work is delegated, one sub-agent tries to refute the leader: whoever looks for proof of a favourite finds some. Adds
 * such a task while there are fewer than four; else the task on the leader becomes it, or the last. `wasTried`: an earlier call had one. `most`: no more
 * tasks can be paid for. Pure.
 */
export function assignStances(
  tasks: readonly DelegatedTask[],
  hypotheses: readonly Hypothesis[],
  wasTried: boolean,
  most = MOST_TASKS,
): AssignedTasks {
  const known = tasks.map((task) => withKnownHypothesis(task, hypotheses));
  const leader = hypotheses[0];
  if (!leader || wasTried || known.length === 0 || known.some((task) => refutes(task, leader.id)))
    return { tasks: known, note: '' };
  const order = `Try to refute ${leader.id}, that it began in ${nameOfHypothesis(leader)}. What would speak against it: ${leader.refutedBy}.`;
  if (known.length < most) {
    const added: DelegatedTask = { task: order, hypothesis: leader.id, stance: 'refute' };
    return { tasks: [...known, added], note: `A task was added: one sub-agent tries to refute ${leader.id}.` };
  }
  const own = known.findIndex(({ hypothesis }) => hypothesis === leader.id);
  const turned = own < 0 ? known.length - 1 : own;
  return {
    tasks: known.map((task, place) => (place === turned ? refuting(task, leader.id, order) : task)),
    note: `Task ${turned + 1} was changed: that sub-agent tries to refute ${leader.id}.`,
  };
}

function withKnownHypothesis(
  { task, hypothesis, stance }: DelegatedTask,
  hypotheses: readonly Hypothesis[],
): DelegatedTask {
  const isKnown = hypotheses.some(({ id }) => id === hypothesis);
  return isKnown ? { task, hypothesis, stance: stance ?? 'test' } : { task };
}

function refutes({ hypothesis, stance }: DelegatedTask, leader: string): boolean {
  return hypothesis === leader && stance === 'refute';
}

function refuting({ task }: DelegatedTask, leader: string, order: string): DelegatedTask {
  return { task: clip(`${order} ${task}`, MOST_CHARACTERS), hypothesis: leader, stance: 'refute' };
}
