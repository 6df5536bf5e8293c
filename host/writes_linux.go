package host

import (
	"runtime"
	"sync"
	"syscall"
	"unsafe"
)

// writeTracker has the kernel note which pages of a memory are written to: Linux 6.7 and later, by userfaultfd's asynchronous
// write protection and the PAGEMAP_SCAN ioctl. A reset then copies the dozen pages that a call has touched, not all. Where
// the kernel or a sandbox around the server does not offer it, resets copy all.
type writeTracker struct {
	userfault, pagemap int
}

// writes is the tracker of the process, nil where there is none.
var writes = sync.OnceValue(newWriteTracker)

// The numbers of the kernel's interface: linux/userfaultfd.h and linux/fs.h.
const (
	userfaultUserModeOnly = 1
	userfaultAPI          = 0xaa
	ioctlUserfaultAPI     = 0xc018aa3f
	ioctlRegister         = 0xc020aa00
	featureUnpopulated    = 1 << 13
	featureAsync          = 1 << 15
	registerWriteProtect  = 1 << 1

	ioctlPagemapScan  = 0xc0606610
	scanWriteProtect  = 1 << 0
	scanCheckAsync    = 1 << 1
	categoryIsWritten = 1 << 1
	categoryIsPresent = 1 << 3
	categoryIsSwapped = 1 << 4
)

// pageRegion is struct page_region.
type pageRegion struct{ start, end, _ uint64 }

// scanRequest is struct pm_scan_arg.
type scanRequest struct {
	size, flags, start, end, walkEnd, vec, vecLen, maxPages, inverted, mask, anyOf, returned uint64
}

func newWriteTracker() *writeTracker {
	number := map[string]uintptr{"amd64": 323, "arm64": 282}[runtime.GOARCH]
	if number == 0 {
		return nil
	}
	userfault, _, errno := syscall.Syscall(number, syscall.O_CLOEXEC|userfaultUserModeOnly, 0, 0)
	if errno != 0 {
		return nil
	}
	api := [3]uint64{userfaultAPI, featureUnpopulated | featureAsync}
	if !ioctl(userfault, ioctlUserfaultAPI, unsafe.Pointer(&api)) {
		_ = syscall.Close(int(userfault))
		return nil
	}
	pagemap, err := syscall.Open("/proc/self/pagemap", syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	if err != nil {
		_ = syscall.Close(int(userfault))
		return nil
	}
	t := &writeTracker{int(userfault), pagemap}
	if !t.works() {
		_ = syscall.Close(int(userfault))
		_ = syscall.Close(pagemap)
		return nil
	}
	return t
}

func ioctl(fd, request uintptr, argument unsafe.Pointer) bool {
	_, _, errno := syscall.Syscall(syscall.SYS_IOCTL, fd, request, uintptr(argument))
	return errno == 0
}

// works tries it on four pages.
func (t *writeTracker) works() bool {
	page := syscall.Getpagesize()
	bytes, err := syscall.Mmap(-1, 0, 4*page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		return false
	}
	defer func() { _ = syscall.Munmap(bytes) }()
	for i := range bytes {
		bytes[i] = 1
	}
	if !t.watch(bytes) {
		return false
	}
	for range 2 {
		bytes[2*page+7]++
		var seen []int
		if !t.each(bytes, new([64]pageRegion), func(from, to int) { seen = append(seen, from, to) }) || !t.protect(bytes) {
			return false
		}
		if len(seen) != 2 || seen[0] != 2*page || seen[1] != 3*page {
			return false
		}
	}
	return true
}

// watch begins to note writes to the bytes, which begin and end with a page.
func (t *writeTracker) watch(bytes []byte) bool {
	_ = syscall.Madvise(bytes, 15) // MADV_NOHUGEPAGE: one write is not to count for 2 MiB
	register := [4]uint64{addressOf(bytes), uint64(len(bytes)), registerWriteProtect}
	return ioctl(uintptr(t.userfault), ioctlRegister, unsafe.Pointer(&register)) && t.protect(bytes)
}

// protect forgets the writes so far.
func (t *writeTracker) protect(bytes []byte) bool {
	start := addressOf(bytes)
	request := scanRequest{
		flags: scanWriteProtect | scanCheckAsync, start: start, end: start + uint64(len(bytes)),
		mask: categoryIsWritten, returned: categoryIsWritten,
	}
	request.size = uint64(unsafe.Sizeof(request))
	return ioctl(uintptr(t.pagemap), ioctlPagemapScan, unsafe.Pointer(&request))
}

// each calls back with the ranges of pages that have been written to. The kernel lists them in regions.
func (t *writeTracker) each(bytes []byte, regions *[64]pageRegion, written func(from, to int)) bool {
	request := scanRequest{flags: scanCheckAsync, mask: categoryIsWritten, returned: categoryIsWritten}
	return t.scan(bytes, &request, regions, written)
}

// eachPresent calls back with the ranges of pages that have ever been touched; all others are zero. The bytes need not be watched.
func (t *writeTracker) eachPresent(bytes []byte, present func(from, to int)) bool {
	const touched = categoryIsPresent | categoryIsSwapped
	request := scanRequest{anyOf: touched, returned: touched}
	return t.scan(bytes, &request, new([64]pageRegion), present)
}

// scan calls back with the ranges of pages that the request is for.
func (t *writeTracker) scan(bytes []byte, request *scanRequest, regions *[64]pageRegion, found func(from, to int)) bool {
	request.size = uint64(unsafe.Sizeof(*request))
	request.vec, request.vecLen = uint64(uintptr(unsafe.Pointer(regions))), uint64(len(regions))
	start := addressOf(bytes)
	for request.start, request.end = start, start+uint64(len(bytes)); request.start < request.end; {
		n, _, errno := syscall.Syscall(syscall.SYS_IOCTL, uintptr(t.pagemap), ioctlPagemapScan, uintptr(unsafe.Pointer(request)))
		if errno != 0 || request.walkEnd <= request.start {
			return false
		}
		for _, r := range regions[:n] {
			found(int(r.start-start), int(r.end-start))
		}
		request.start = request.walkEnd
	}
	runtime.KeepAlive(regions)
	return true
}

func addressOf(bytes []byte) uint64 { return uint64(uintptr(unsafe.Pointer(unsafe.SliceData(bytes)))) }
