// Images of the delivery listener: how long renderings take, how many wait, and whether a variant was there already.
import type { Renderer } from '../delivery/images/renderer.ts';
import type { VariantService } from '../delivery/images/variant-service.ts';
import type { CacheCounts } from './cache-counts.ts';
import { Histogram, type Series } from './metric.ts';

export class ImageCounts {
  readonly #cache: CacheCounts;
  readonly #durations = new Histogram();
  #renderer: Pick<Renderer, 'waiting' | 'running'> | undefined;

  constructor(cache: CacheCounts) {
    this.#cache = cache;
  }

  /** Takes the renderer whose queue is read from now on. */
  watch(renderer: Pick<Renderer, 'waiting' | 'running'>): void {
    this.#renderer = renderer;
  }

  /** Renderings; undefined before the first. */
  queue(): { readonly waiting: number; readonly running: number } | undefined {
    const renderer = this.#renderer;
    return renderer && { waiting: renderer.waiting(), running: renderer.running() };
  }

  onRendered(ms: number): void {
    this.#durations.observe(ms / 1000);
  }

  /** The same service, which counts whether variants were there already. */
  around(service: VariantService): VariantService {
    const record = (isHit: boolean) => this.#cache.record('variants', isHit ? 'hit' : 'miss');
    return {
      plan(request) {
        const planned = service.plan(request);
        return {
          ...planned,
          async variant() {
            try {
              const variant = await planned.variant();
              record(variant.cached);
              return variant;
            } catch (error) {
              record(false);
              throw error;
            }
          },
        };
      },
      compressed: service.compressed,
      flush: (pattern, names) => service.flush(pattern, names),
      close: () => service.close(),
    };
  }

  readDurations(): readonly Series[] {
    return [{ labels: {}, value: this.#durations }];
  }

  readQueue(): readonly Series[] {
    return [{ labels: {}, value: this.#renderer?.waiting() ?? 0 }];
  }
}
