/** Groups log lines by what stays the same in them. First version: masked text is the group. */
export class TemplateMiner {
  readonly #idBySkeleton = new Map<string, number>();

  /** Returns the skeleton id of the line. */
  add(line: string): number {
    const skeleton = line.replaceAll(/\S*\d\S*/g, '<*>');
    const known = this.#idBySkeleton.get(skeleton);
    if (known !== undefined) return known;
    const id = this.#idBySkeleton.size;
    this.#idBySkeleton.set(skeleton, id);
    return id;
  }

  finish(): void {}

  group(id: number): number {
    return id;
  }

  template(group: number): string {
    return [...this.#idBySkeleton.keys()][group] ?? '';
  }
}
