// Runs guests in a process with the flags of a real host, at the word of a test: one JSON line in, one JSON line out.
import { createInterface } from 'node:readline';
import { cpu } from '../../../sandbox/cpu.js';
import { createGuest, inspect, versions } from '../../../sandbox/isolate.js';

/** A line of its own: `readline` also ends lines where only JavaScript does. */
const lineOf = (value) =>
  `${JSON.stringify(value).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')}\n`;

/** Guests by number, and what the last turn sent out. */
const guests = new Map();
let events = [];

function turn(id, run) {
  const guest = guests.get(id);
  events = [];
  const end = run(guest);
  return { end, events, disposed: guest.disposed };
}

const commands = {
  guest({ id, options }) {
    const emit = (...event) => events.push(event);
    guests.set(id, createGuest(options, emit));
    return {};
  },
  start: ({ id, number, head, body, ms }) => turn(id, (guest) => guest.start(number, head, body, ms)),
  deliver: ({ id, number, call, ms }) => turn(id, (guest) => guest.deliver(number, call, ms)),
  forget: ({ id, number }) => turn(id, (guest) => guest.forget(number)),
  heap: ({ id }) => ({ bytes: guests.get(id).memory().used }),
  /** Calls one handler many times; answers what the last call sent out and the heap at some points on the way. */
  repeat({ id, count, head, body, ms, every }) {
    const heap = [];
    for (let number = 1; number <= count; number += 1) {
      events = [];
      guests.get(id).start(number, head, body, ms);
      if (number % every === 0) heap.push(guests.get(id).memory().used);
    }
    return { events, heap, disposed: guests.get(id).disposed, rss: process.memoryUsage.rss() };
  },
  dispose({ id }) {
    guests.get(id).dispose();
    guests.delete(id);
    return {};
  },
  inspect: ({ source, options }) => inspect(source, { ...options, cpu }),
  versions: () => versions(),
};

for await (const line of createInterface({ input: process.stdin })) {
  const { op, ...command } = JSON.parse(line);
  let answer;
  try {
    answer = commands[op](command);
  } catch (error) {
    answer = { failed: `${error.name}: ${error.message}` };
  }
  process.stdout.write(lineOf(answer));
}
