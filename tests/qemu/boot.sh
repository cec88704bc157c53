#!/bin/sh
# Do the virtual machines that other tests rely on work at all?
# test: matrix
for kernel in 6.1 6.12; do
	for preempt in voluntary full; do
		name=vm_boot_${kernel}_$preempt
		if ! why=$(tests/qemu/run --ready $kernel); then
			echo "skip $name: $why"
			continue
		fi
		out=$(tests/qemu/run $kernel --append preempt=$preempt --disk 64 -- \
			tests/qemu/guest/boot.sh "it's" "$preempt")
		status=$?
		if [ $status = 7 ] && [ "${out%done}" != "$out" ]; then
			echo "ok $name"
		else
			echo "status $status: $out"
			echo "not ok $name"
		fi
	done
done
