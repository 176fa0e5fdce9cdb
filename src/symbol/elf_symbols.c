// SPDX-License-Identifier: BSD-2-Clause
#include "symbol/elf_symbols.h"

#include <errno.h>
#include <gelf.h>
#include <libelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbol/mini_debug.h"

#define NOTES_MAX_BYTES (1u << 20)
#define STARTS_MAX (4u << 20)
#define PLT_ENTRY_BYTES 16u /* on x86-64 and arm64 */
#define PLT_MAX (1u << 20) /* entries */
#define PLT_SUFFIX "@plt"

static Elf *open_elf(int fd)
{
	Elf *elf;

	if (elf_version(EV_CURRENT) == EV_NONE)
		return NULL;
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (elf && elf_kind(elf) != ELF_K_ELF) {
		elf_end(elf);
		return NULL;
	}
	return elf;
}

/* Looks through the notes of one segment. */
static bool find_build_id(Elf_Data *data, uint8_t id[BUILD_ID_BYTES])
{
	size_t at = 0, name_at, desc_at, next;
	GElf_Nhdr note;

	while ((next = gelf_getnote(data, at, &note, &name_at, &desc_at)) > at) {
		const char *bytes = data->d_buf;

		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof(ELF_NOTE_GNU) &&
		    !memcmp(bytes + name_at, ELF_NOTE_GNU, sizeof(ELF_NOTE_GNU)) && note.n_descsz) {
			memcpy(id, bytes + desc_at,
			       note.n_descsz < BUILD_ID_BYTES ? note.n_descsz : BUILD_ID_BYTES);
			return true;
		}
		at = next;
	}
	return false;
}

bool elf_build_id(int fd, uint8_t id[BUILD_ID_BYTES])
{
	Elf *elf = open_elf(fd);
	size_t count = 0;
	bool found = false;

	memset(id, 0, BUILD_ID_BYTES);
	if (!elf)
		return false;
	if (elf_getphdrnum(elf, &count))
		count = 0;
	for (size_t i = 0; !found && i < count && i < ELF_SEGMENTS_MAX; i++) {
		Elf_Data *data = NULL;
		GElf_Phdr ph;

		if (gelf_getphdr(elf, (int)i, &ph) && ph.p_type == PT_NOTE &&
		    ph.p_filesz <= NOTES_MAX_BYTES)
			data = elf_getdata_rawchunk(elf, (int64_t)ph.p_offset, ph.p_filesz,
						    ph.p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR);
		found = data && find_build_id(data, id);
	}
	elf_end(elf);
	return found;
}

void elf_symbols_init(struct elf_symbols *elf)
{
	*elf = (struct elf_symbols){0};
	symbol_table_init(&elf->functions);
}

void elf_symbols_fini(struct elf_symbols *elf)
{
	symbol_table_fini(&elf->functions);
	free(elf->starts);
	*elf = (struct elf_symbols){0};
}

static void read_segments(Elf *elf, struct elf_symbols *to)
{
	size_t count = 0;

	if (elf_getphdrnum(elf, &count))
		return;
	for (size_t i = 0; i < count && to->segment_count < ELF_SEGMENTS_MAX; i++) {
		GElf_Phdr ph;

		if (!gelf_getphdr(elf, (int)i, &ph) || ph.p_type != PT_LOAD || !(ph.p_flags & PF_X))
			continue;
		to->segments[to->segment_count++] = (struct elf_segment){
			.offset = ph.p_offset,
			.bytes = ph.p_filesz,
			.address = ph.p_vaddr,
		};
	}
}

/* Of several names of a function perf shows this one, too: of a global symbol, with the fewest underscores. */
static unsigned int rank_of(const GElf_Sym *sym, const char *name)
{
	const int binding = GELF_ST_BIND(sym->st_info);
	const size_t lines = strspn(name, "_");

	return (sym->st_size != 0) * 16u + (binding != STB_WEAK) * 8u +
	       (binding == STB_GLOBAL) * 4u + (lines < 3 ? 3u - (unsigned int)lines : 0);
}

/* Functions of one table; what libelf cannot make sense of is left out. */
static int read_table(Elf *elf, Elf_Scn *section, const GElf_Shdr *head, struct elf_symbols *to)
{
	Elf_Data *data = elf_getdata(section, NULL);
	uint64_t count = data && head->sh_entsize ? data->d_size / head->sh_entsize : 0;
	int err = 0;

	for (uint64_t i = 0; !err && i < count && i < SYMBOL_TABLE_MAX; i++) {
		const char *name;
		GElf_Sym sym;
		int type;

		if (!gelf_getsym(data, (int)i, &sym))
			break;
		type = GELF_ST_TYPE(sym.st_info);
		if ((type != STT_FUNC && type != STT_GNU_IFUNC) || sym.st_shndx == SHN_UNDEF)
			continue;
		name = elf_strptr(elf, head->sh_link, sym.st_name);
		if (name && *name)
			err = symbol_table_add_ranked(&to->functions, sym.st_value, sym.st_size,
						      name, strnlen(name, SYMBOL_NAME_MAX),
						      rank_of(&sym, name));
	}
	return err;
}

/* All tables of one type: how many functions they had, or -errno. */
static int read_tables(Elf *elf, uint32_t type, struct elf_symbols *to)
{
	size_t before = to->functions.count;
	Elf_Scn *section = NULL;
	int err = 0;

	while (!err && (section = elf_nextscn(elf, section))) {
		GElf_Shdr head;

		if (gelf_getshdr(section, &head) && head.sh_type == type)
			err = read_table(elf, section, &head, to);
	}
	return err ?: (int)(to->functions.count - before);
}

static Elf_Scn *find_section(Elf *elf, const char *name, GElf_Shdr *head)
{
	Elf_Scn *section = NULL;
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return NULL;
	while ((section = elf_nextscn(elf, section))) {
		const char *one;

		if (!gelf_getshdr(section, head) || head->sh_type == SHT_NOBITS)
			continue;
		one = elf_strptr(elf, names, head->sh_name);
		if (one && !strcmp(one, name))
			return section;
	}
	return NULL;
}

/* Where entry @i of the procedure linkage table is: 0 = not known. */
struct plt {
	uint64_t address; /* of the first entry that has a name */
	uint64_t bytes;
};

/* Calls go through .plt.sec where there is one (IBT); in .plt itself the first entries are the linker's own. */
static struct plt find_plt(Elf *elf)
{
	GElf_Shdr head;
	GElf_Ehdr file;
	uint64_t own;

	if (find_section(elf, ".plt.sec", &head))
		return (struct plt){head.sh_addr, head.sh_size};
	if (!gelf_getehdr(elf, &file) || !find_section(elf, ".plt", &head))
		return (struct plt){0};
	own = file.e_machine == EM_AARCH64 ? 2 * PLT_ENTRY_BYTES :
	      file.e_machine == EM_X86_64  ? PLT_ENTRY_BYTES :
					     head.sh_size;
	return head.sh_size > own ? (struct plt){head.sh_addr + own, head.sh_size - own} :
				    (struct plt){0};
}

/* The name of what entry @i jumps to, or NULL. */
static const char *plt_name(Elf *elf, Elf_Data *relocations, const GElf_Shdr *symbols_head,
			    Elf_Data *symbols, size_t i)
{
	GElf_Rela relocation;
	GElf_Sym sym;

	if (!gelf_getrela(relocations, (int)i, &relocation) ||
	    GELF_R_SYM(relocation.r_info) > INT32_MAX ||
	    !gelf_getsym(symbols, (int)GELF_R_SYM(relocation.r_info), &sym))
		return NULL;
	return elf_strptr(elf, symbols_head->sh_link, sym.st_name);
}

static int read_plt(Elf *elf, struct elf_symbols *to)
{
	const struct plt plt = find_plt(elf);
	GElf_Shdr head, symbols_head;
	Elf_Scn *section = find_section(elf, ".rela.plt", &head);
	Elf_Scn *linked = section ? elf_getscn(elf, head.sh_link) : NULL;
	Elf_Data *relocations = section ? elf_getdata(section, NULL) : NULL;
	Elf_Data *symbols = linked ? elf_getdata(linked, NULL) : NULL;
	size_t count = plt.bytes / PLT_ENTRY_BYTES;
	int err = 0;

	if (!relocations || !symbols || !gelf_getshdr(linked, &symbols_head) || !head.sh_entsize)
		return 0;
	if (head.sh_size / head.sh_entsize < count)
		count = head.sh_size / head.sh_entsize;
	for (size_t i = 0; i < count && i < PLT_MAX && !err; i++) {
		const char *name = plt_name(elf, relocations, &symbols_head, symbols, i);
		char text[SYMBOL_NAME_MAX];

		if (!name || !*name || strnlen(name, sizeof(text)) > sizeof(text) - 8)
			continue;
		(void)snprintf(text, sizeof(text), "%s" PLT_SUFFIX, name);
		err = symbol_table_add(&to->functions, plt.address + i * PLT_ENTRY_BYTES,
				       PLT_ENTRY_BYTES, text, strlen(text));
	}
	return err;
}

/* The symbol table in .gnu_debugdata: 0 where there is none, or nothing valid. */
static int read_mini_debug(Elf *elf, struct elf_symbols *to)
{
	GElf_Shdr head;
	Elf_Scn *section = find_section(elf, ".gnu_debugdata", &head);
	Elf_Data *packed = section ? elf_rawdata(section, NULL) : NULL;
	void *image = NULL;
	size_t len;
	Elf *inner;
	int count = 0;

	if (!packed || !packed->d_buf ||
	    mini_debug_unpack(packed->d_buf, packed->d_size, &image, &len))
		return 0;
	inner = elf_memory(image, len);
	if (inner && elf_kind(inner) == ELF_K_ELF)
		count = read_tables(inner, SHT_SYMTAB, to);
	elf_end(inner);
	free(image);
	return count;
}

/* The table for binary search in .eh_frame_hdr (LSB 5.0, 10.6.2), in the one form that linkers write. */
struct eh_frame_head {
	uint8_t version, pointer_form, count_form, table_form;
	int32_t eh_frame;
	uint32_t count;
};
#define FORM_PC_RELATIVE_4 0x1b
#define FORM_UNSIGNED_4 0x03
#define FORM_DATA_RELATIVE_4 0x3b

static void read_starts(Elf *elf, struct elf_symbols *to)
{
	struct eh_frame_head head;
	size_t phdrs = 0;
	GElf_Phdr ph;
	Elf_Data *data = NULL;

	if (to->starts || elf_getphdrnum(elf, &phdrs))
		return;
	for (size_t i = 0; i < phdrs && !data; i++) {
		if (gelf_getphdr(elf, (int)i, &ph) && ph.p_type == PT_GNU_EH_FRAME)
			data = elf_getdata_rawchunk(elf, (int64_t)ph.p_offset, ph.p_filesz,
						    ELF_T_BYTE);
	}
	if (!data || data->d_size < sizeof(head))
		return;
	memcpy(&head, data->d_buf, sizeof(head));
	if (head.version != 1 || head.pointer_form != FORM_PC_RELATIVE_4 ||
	    head.count_form != FORM_UNSIGNED_4 || head.table_form != FORM_DATA_RELATIVE_4 ||
	    head.count > STARTS_MAX || head.count > (data->d_size - sizeof(head)) / 8)
		return;
	to->starts = calloc(head.count ?: 1, sizeof(*to->starts));
	for (uint32_t i = 0; to->starts && i < head.count; i++) {
		int32_t relative;

		memcpy(&relative, (const char *)data->d_buf + sizeof(head) + 8 * (size_t)i,
		       sizeof(relative));
		to->starts[i] = ph.p_vaddr + (uint64_t)(int64_t)relative;
		if (i && to->starts[i] < to->starts[i - 1])
			return; /* not in order: what follows is of no use */
		to->start_count = i + 1;
	}
}

bool elf_link_read(struct elf_link *link, int fd)
{
	Elf *elf = open_elf(fd);
	GElf_Shdr head;
	Elf_Scn *section = elf ? find_section(elf, ".gnu_debuglink", &head) : NULL;
	Elf_Data *data = section ? elf_rawdata(section, NULL) : NULL;
	size_t len = data && data->d_buf ? strnlen(data->d_buf, data->d_size) : 0;
	const size_t crc_at = (len + 1 + 3) & ~(size_t)3;
	bool found = len && len < sizeof(link->name) &&
		     crc_at + sizeof(link->crc) <= data->d_size && !memchr(data->d_buf, '/', len);

	if (found) {
		memcpy(link->name, data->d_buf, len + 1);
		memcpy(&link->crc, (const char *)data->d_buf + crc_at, sizeof(link->crc));
	}
	elf_end(elf);
	return found;
}

void elf_symbols_read_segments(struct elf_symbols *to, int fd)
{
	Elf *elf = open_elf(fd);

	if (!elf)
		return;
	read_segments(elf, to);
	elf_end(elf);
}

/* Of a file that was stripped of its symbol table. */
static int read_stripped(Elf *elf, struct elf_symbols *to)
{
	int mini = read_mini_debug(elf, to);
	int count = mini < 0 ? mini : read_tables(elf, SHT_DYNSYM, to);

	return count < 0 ? count : mini + count;
}

int elf_symbols_read(struct elf_symbols *to, int fd)
{
	Elf *elf = open_elf(fd);
	int count;

	if (!elf)
		return -EBADMSG;
	read_segments(elf, to);
	count = read_tables(elf, SHT_SYMTAB, to);
	if (!count)
		count = read_stripped(elf, to);
	if (count >= 0)
		count = read_plt(elf, to) ?: count;
	read_starts(elf, to);
	elf_end(elf);
	if (count < 0)
		return count;
	return count ? 0 : -ENOENT;
}

int elf_symbols_read_debug(struct elf_symbols *to, int fd)
{
	Elf *elf = open_elf(fd);
	int count;

	if (!elf)
		return -EBADMSG;
	count = read_tables(elf, SHT_SYMTAB, to);
	elf_end(elf);
	if (count < 0)
		return count;
	return count ? 0 : -ENOENT;
}

/* Where the file itself says that this part of it is loaded. */
static const struct elf_segment *segment_at(const struct elf_symbols *elf, uint64_t offset)
{
	for (size_t i = 0; i < elf->segment_count; i++) {
		const struct elf_segment *segment = &elf->segments[i];

		if (offset >= segment->offset && offset - segment->offset < segment->bytes)
			return segment;
	}
	return NULL;
}

bool elf_symbols_address(const struct elf_symbols *elf, uint64_t offset, uint64_t *address)
{
	const struct elf_segment *segment = segment_at(elf, offset);

	if (segment)
		*address = segment->address + (offset - segment->offset);
	return segment;
}

bool elf_symbols_find_start(const struct elf_symbols *elf, uint64_t offset, uint64_t *start)
{
	size_t low = 0, high = elf->start_count;
	uint64_t address;

	if (!elf_symbols_address(elf, offset, &address))
		return false;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (elf->starts[middle] <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return false;
	*start = offset - (address - elf->starts[low - 1]);
	return *start <= offset;
}

bool elf_symbols_find(struct elf_symbols *elf, uint64_t offset, struct symbol *ret)
{
	uint64_t address;

	if (!elf_symbols_address(elf, offset, &address) ||
	    !symbol_table_find(&elf->functions, address, ret))
		return false;
	ret->start = offset - (address - ret->start);
	return true;
}
