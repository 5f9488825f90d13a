import { mkdirSync, readdirSync } from "node:fs";
import path from "node:path";
import { NODE } from "./node-settings.ts";

/** Each serves once, because nothing empties it. */
const DISKS = 24;

/** Default storage class and its disks, folders of the node. */
export function storageObjects(folder: string): unknown[] {
  const storageClass = {
    apiVersion: "storage.k8s.io/v1",
    kind: "StorageClass",
    metadata: { name: "standard", annotations: { "storageclass.kubernetes.io/is-default-class": "true" } },
    provisioner: "kubernetes.io/no-provisioner",
    volumeBindingMode: "WaitForFirstConsumer",
  };
  const onNode = { key: "kubernetes.io/hostname", operator: "In", values: [NODE] };
  const disks = Array.from({ length: DISKS }, (_, index) => {
    const place = path.join(folder, "disks", String(index));
    mkdirSync(place, { recursive: true });
    return {
      apiVersion: "v1",
      kind: "PersistentVolume",
      metadata: { name: `disk-${index}` },
      spec: {
        capacity: { storage: "10Gi" },
        accessModes: ["ReadWriteOnce"],
        storageClassName: "standard",
        persistentVolumeReclaimPolicy: "Retain",
        // Unlike a host path, belongs to the pod's group.
        local: { path: place },
        nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [onNode] }] } },
      },
    };
  });
  return [storageClass, ...disks];
}

export function definitionFiles(kubernetesApi: string): string[] {
  const files = readdirSync(kubernetesApi).filter((file) => file.endsWith(".yaml"));
  return files.map((file) => path.join(kubernetesApi, file));
}

/** A namespace that only admits unprivileged pods. */
export function restrictedNamespace(name: string): unknown {
  const labels = { "pod-security.kubernetes.io/enforce": "restricted" };
  return { apiVersion: "v1", kind: "Namespace", metadata: { name, labels } };
}
