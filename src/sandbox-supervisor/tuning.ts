// The numbers with which the supervisor was tuned, each with the measurement that set it, or the reason where nothing was measured.
// Limits that users are promised stay where they are enforced. Whoever changes one measures with `npm run bench -- --calls`.

// Frames. The switch from process to process costs more than a short request: with one request a frame a host answered 3,900
// requests a second, with two 5,900, with sixteen 9,900 to 13,600 (50 connections, one core for server and host).
/** Invocations in one frame. */
export const MAX_BATCH = 16;
/** Characters of their requests: a larger request is sent alone. It bounds what one write copies. */
export const MAX_BATCH_CHARACTERS = 1_048_576;
/** A frame should not occupy a host for longer than this: without a bound, sixteen requests of which four looped took 4 s. */
export const FRAME_MS = 8;
/** Up to these lengths of a time slice it pays to have a second or third frame ready in the pipe: the host then never waits for one. */
export const PIPELINE_MS = 1;
export const STREAM_MS = 0.25;

// How long the time slices of a module are.
/** Assumed before the first one was measured; a frame of it is a full batch. */
export const UNKNOWN_SLICE_MS = 0.2;
/**
 * Weights of a new value in the running mean. A long slice says little, as the machine may have been busy, and hosts give
 * invocations back after it anyway; a short one shows that slices can be short. Before, a busy machine made
 * every module a slow one.
 */
export const LONGER_WEIGHT = 0.02;
export const SHORTER_WEIGHT = 0.5;
/**
 * After a longer time slice the module counts as slow for a hundred times as long, at most a minute. By the CPU that it used: by the
 * clock, every module was slow on a busy machine.
 */
export const SLOW_SLICE_MS = 50;
export const SLOW_FACTOR = 100;
export const MAX_SLOW_MS = 60_000;
/** Weight of one invocation in the share of those with guest calls, and the share that counts as none: 21 in a row without any reach it. */
export const GUEST_CALL_WEIGHT = 0.2;
export const MAX_NON_BLOCKING_RATIO = 0.01;

// Responses of megabytes cost the server's thread garbage collections that delay all modules.
/** Result frames above this size count towards throttling. */
export const LARGE_RESULT_BYTES = 262_144;
/** Bytes per millisecond that one module may respond with: at four times this rate the p99 of another module was twenty times as high. */
export const BYTES_PER_MS = 65_536;
/** Bodies from this size on are passed on as bytes; smaller ones are cheaper as text. */
export const MIN_BUFFER_BODY_BYTES = 16_384;
/** Up to this size the texts of a result frame are decoded at once, and cut. */
export const MAX_DECODED_AT_ONCE_BYTES = 262_144;

// Which host is in a long time slice. A host that gets no core is not: when it counted as one, other hosts were started beside it
// and requests waited up to 2,587 ms for their start; since CPU decides, 192 ms at most.
/** A time slice is long from here on … */
export const LONG_SLICE_MS = 50;
/** … if that much CPU was seen to be used for it: two ticks of the kernel, since one may have been another's. */
export const LONG_SLICE_CPU_MS = 20;
/** Where CPU cannot be measured the clock decides, past the time at which it would have been. */
export const UNMEASURED_MS = 150;
/** CPU is measured from this age of a frame on: below a few ticks of the kernel, of 10 ms, it tells nothing. */
export const MIN_MEASURED_MS = 50;

/** Invocations that one host may have of a module that has made no guest calls so far: those that follow may block. Not measured. */
export const MAX_UNEXPECTED_WAITS = 4;
/**
 * How long invocations run alone after a loss that several may have caused: the next one then has a certain culprit. Not measured: long
 * enough for a caller who goes on, short enough for a module that is not to blame.
 */
export const ALONE_MS = 60_000;

// Memory of a host.
/** What it needs for itself and for isolates that lie idle in it: a fresh one has 55 MB, each idle isolate 2.7 MB. */
export const HOST_OWN_MB = 96;
/**
 * Requests in flight in one host may share a heap. Together they are at most this part of it, as text of two bytes a character, and
 * what their handlers make of them has the rest: otherwise callers with large bodies could exhaust it together, while each is far
 * from doing so. A larger request is in flight alone.
 */
export const IN_FLIGHT_PART = 1 / 4;
/** An idle host that is larger is replaced. After 18 s of load busy hosts have 99 to 107 MB. */
export const MAX_IDLE_BYTES = 157_286_400;

// Processes. One starts within 105 ms on an idle machine, and the spare one hides that.
/** Hosts beyond the number of cores are kept idle for this long. */
export const MAX_IDLE_MS = 500;
/** A machine under load takes its time; past this, something is wrong. */
export const MAX_START_MS = 10_000;
/** After a start that failed the next one is tried this much later; after so many in a row nothing waits for one any more. */
export const RETRY_MS = 500;
export const MAX_START_FAILURES = 3;
/** How often timeouts are looked at: the tenth part of the grace that a host has. */
export const CHECK_INTERVAL_MS = 25;
/** How often old, large and surplus hosts are looked for. */
export const REAP_INTERVAL_MS = 250;
